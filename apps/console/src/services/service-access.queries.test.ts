import { expect, test } from "vitest";
import type { Platform } from "../platform.ts";
import { findServiceAccess, isGranted, serviceAddress, servicesOf } from "./service-access.queries.ts";

const services = { pos: "http://pos.example", hospital: "http://h.example", ordering: "http://o.example" };
const settings = { authUrl: "", accountsUrl: "", subscriptionsUrl: "", services, language: undefined };
const platform = { settings } as unknown as Platform;

test("services are listed by name", () => {
	expect(servicesOf(settings)).toEqual(["hospital", "ordering", "pos"]);
});

test.each([
	["hospital", "http://h.example/api/v1/uhai/hospital"],
	["ordering", "http://o.example/api/v1/uhai"],
] as const)("%s has the address %s for a tenant", (service, address) => {
	expect(serviceAddress(platform, { service, slug: "uhai" })).toBe(address);
});

test("the address of an unknown service is an error", () => {
	expect(() => serviceAddress(platform, { service: "projects", slug: "uhai" })).toThrow(/projects/);
});

test.each([
	[["pos.roles.view"], "pos.roles.view", true],
	[["pos.roles.manage"], "pos.roles.view", true],
	[["pos.roles.view"], "pos.roles.manage", false],
	[["pos.users.manage"], "pos.roles.view", false],
	[[], "pos.roles.view", false],
])("the permissions %j include %s: %s", (granted, permission, may) => {
	expect(isGranted(new Set(granted), permission)).toBe(may);
});

test("no permission is granted while the permissions load", () => {
	expect(isGranted(undefined, "pos.roles.view")).toBe(false);
});

test.each([
	[
		"in the whole tenant works without the selected outlet",
		{ everywhere: ["pos.roles.view"], outlet: "none" },
	],
	["at the selected outlet only works at that outlet", { everywhere: [], outlet: undefined }],
])("an administrator of roles %s", async (_where, { everywhere, outlet }) => {
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

test("a user who holds the permission of a page in the whole tenant works there without the selected outlet", async () => {
	const client = {
		getState: () => ({ status: "ready", outlet: { kind: "selected", outletId: "o" } }),
		call: async (_address: string, options: { outlet?: "none" }) => ({
			permissions: options.outlet === "none" ? ["pos.api_keys.manage"] : ["pos.roles.view"],
		}),
	};
	const find = (permission: string) =>
		findServiceAccess(
			{ settings, client } as unknown as Platform,
			{ service: "pos", slug: "u" },
			{ permission },
		);
	expect((await find("pos.api_keys.view")).outlet).toBe("none");
	expect((await find("pos.roles.view")).outlet).toBeUndefined();
});
