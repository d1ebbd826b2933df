import { describe, expect, test } from "vitest";
import { expandGrants, mayDo, permissionsOfModules, readPermission } from "../index.ts";

describe("mayDo", () => {
	test.each([
		[["a.b.view"], "a.b.view", true],
		[["a.b.manage"], "a.b.view", true],
		[["a.b.manage"], "a.b.delete_own", true],
		[["a.b.manage"], "a.b.manage_own", true],
		[["a.b.view"], "a.b.view_own", true],
		[["a.b.change"], "a.b.change_own", true],
		[["a.b.manage_own"], "a.b.change_own", true],
		[["a.b.view_own"], "a.b.view", false],
		[["a.b.manage_own"], "a.b.view", false],
		[["a.b.view"], "a.b.change", false],
		[["a.b.change"], "a.b.view", false],
		[["a.b.view"], "a.b.manage", false],
		[["a.c.manage"], "a.b.view", false],
		[["x.b.manage"], "a.b.view", false],
		[[], "a.b.view", false],
		[["a.b.view", "a.c.manage"], "a.c.add", true],
	])("%j may %s: %s", (held, needed, expected) => {
		expect(mayDo(held, needed)).toBe(expected);
	});

	test.each(["", "a.b", "a.b.c", "a.b.view.x", "A.b.view", "a..view", "catalog:view"])(
		"%j is not a permission code, which is a bug",
		(code) => {
			expect(() => readPermission(code)).toThrow(/is not a permission code/);
		},
	);
});

describe("the grants of a role", () => {
	const permissions = permissionsOfModules("a", {
		beds: ["view", "add"],
		wards: ["view"],
		config: ["view", "manage"],
	});
	const scope = { permissions, administrative: ["config"] };

	test.each([
		[["a.*"], ["a.beds.view", "a.beds.add", "a.wards.view", "a.config.view", "a.config.manage"]],
		[["a.*.view"], ["a.beds.view", "a.wards.view"]],
		[["a.beds.*"], ["a.beds.view", "a.beds.add"]],
		[["a.config.*"], ["a.config.view", "a.config.manage"]],
		[
			["a.beds.view", "a.*.view"],
			["a.beds.view", "a.wards.view"],
		],
		[["a.*.delete"], []],
		[[], []],
	])("%j grants %j", (patterns, granted) => {
		expect(expandGrants(patterns, scope)).toEqual(granted);
	});

	test.each(["a.beds.change", "b.*", "a.rooms.*", "a.*.sing", "*", "a.beds", "a.*.view.x"])(
		"%j names nothing that is declared and is refused",
		(pattern) => {
			expect(() => expandGrants([pattern], scope)).toThrow(/is not declared/);
		},
	);
});
