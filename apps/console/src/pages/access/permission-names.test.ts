import { expect, test } from "vitest";
import { groupPermissions, namePermission, nameRole, roleCode } from "./permission-names.ts";
import { tables } from "./texts.ts";

const words = tables.en;

test.each([
	["hospital_admin", "Administrator"],
	["hospital_viewer", "Viewer"],
	["rider", "Rider"],
	["night_pharmacist", "Night pharmacist"],
	["pos_admin", "Pos admin"],
	["constructor", "Constructor"],
])("the role %s of the hospital is called %s", (code, name) => {
	expect(nameRole(code, { service: "hospital", words })).toBe(name);
});

test.each([
	["Night pharmacist", "night_pharmacist"],
	[" Café & Bar ", "cafe_bar"],
	["2nd floor", "nd_floor"],
	["…", ""],
	["x".repeat(80), "x".repeat(63)],
])("the name %j has the code %j", (name, code) => {
	expect(roleCode(name)).toBe(code);
	if (code !== "") expect(code).toMatch(/^[a-z][a-z0-9_-]{0,62}$/);
});

test("permissions are grouped by module, sorted by name", () => {
	const codes = ["pos.terminals.view", "pos.api_keys.view", "pos.terminals.add", "pos.mop_heads.manage_own"];
	expect(groupPermissions(codes, words)).toEqual([
		{ module: "API keys", actions: ["see"] },
		{ module: "Mop heads", actions: ["do everything with their own"] },
		{ module: "Terminals", actions: ["see", "add"] },
	]);
	expect(namePermission("pos.terminals.add", words)).toBe("Terminals: add");
});
