import { expect, test } from "vitest";
import type { Platform } from "../../platform.ts";
import { findServiceAccess, isGranted, serviceAddress, servicesOf } from "./access.queries.ts";

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
])("who isGranted %j may %s: %s", (granted, permission, may) => {
	expect(isGranted(new Set(granted), permission)).toBe(may);
});

test("as long as granted are not known nobody may do anything", () => {
	expect(isGranted(undefined, "pos.roles.view")).toBe(false);
});

test.each([
	["in the whole tenant is shown all of it", { everywhere: ["pos.roles.view"], outlet: "none" }],
	["at the selected outlet alone is shown that outlet", { everywhere: [], outlet: undefined }],
])("who looks after roles %s", async (_where, { everywhere, outlet }) => {
	const client = {
		getState: () => ({ status: "ready", outlet: { kind: "selected", outletId: "o" } }),
		call: async (_address: string, options: { outlet?: "none" }) => ({
			permissions: options.outlet === "none" ? everywhere : ["pos.roles.view"],
		}),
	};
	const found = await findServiceAccess({ settings, client } as unknown as Platform, {
		service: "pos",
		slug: "u",
	});
	expect(found).toEqual({ granted: new Set(["pos.roles.view"]), outlet });
});

test("a person who isGranted the right of a page in the whole tenant works there without the selected outlet", async () => {
	const client = {
		getState: () => ({ status: "ready", outlet: { kind: "selected", outletId: "o" } }),
		call: async (_address: string, options: { outlet?: "none" }) => ({
			permissions: options.outlet === "none" ? ["pos.api_keys.manage"] : ["pos.roles.view"],
		}),
	};
	const find = (right: string) =>
		findServiceAccess({ settings, client } as unknown as Platform, { service: "pos", slug: "u" }, { right });
	expect((await find("pos.api_keys.view")).outlet).toBe("none");
	expect((await find("pos.roles.view")).outlet).toBeUndefined();
});
