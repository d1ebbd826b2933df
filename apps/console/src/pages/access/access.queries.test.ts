import { expect, test } from "vitest";
import type { Platform } from "../../session/platform.ts";
import { holds, serviceAddress, servicesOf } from "./access.queries.ts";

const services = { pos: "http://pos.example", hospital: "http://h.example", ordering: "http://o.example" };
const settings = { authUrl: "", accountsUrl: "", subscriptionsUrl: "", services, language: undefined };
const platform = { settings } as unknown as Platform;

test("services are listed by name", () => {
	expect(servicesOf(settings)).toEqual(["hospital", "ordering", "pos"]);
});

test.each([
	["hospital", "http://h.example/api/v1/uhai/hospital"],
	["ordering", "http://o.example/api/v1/uhai"],
] as const)("%s answers for a tenant at %s", (service, address) => {
	expect(serviceAddress(platform, { service, slug: "uhai" })).toBe(address);
});

test("a service that is not there has no address", () => {
	expect(() => serviceAddress(platform, { service: "projects", slug: "uhai" })).toThrow(/projects/);
});

test.each([
	[["pos.roles.view"], "pos.roles.view", true],
	[["pos.roles.manage"], "pos.roles.view", true],
	[["pos.roles.view"], "pos.roles.manage", false],
	[["pos.users.manage"], "pos.roles.view", false],
	[[], "pos.roles.view", false],
])("who holds %j may %s: %s", (rights, permission, may) => {
	expect(holds(new Set(rights), permission)).toBe(may);
});

test("as long as rights are not known nobody may do anything", () => {
	expect(holds(undefined, "pos.roles.view")).toBe(false);
});
