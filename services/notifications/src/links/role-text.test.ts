import { expect, test } from "vitest";
import { roleText } from "./role-text.ts";

test.each([
	[undefined, "Manager, Cashier, night_nurse"],
	["en-KE", "Manager, Cashier, night_nurse"],
	["sw", "Meneja, Keshia, night_nurse"],
])("roles are named in the language %s; an unknown role is its code", (locale, text) => {
	expect(roleText(["manager", "cashier", "night_nurse"], locale)).toBe(text);
});
