import { expect, test } from "vitest";
import { isOutletCode, suggestCode } from "./outlet-code.ts";

test.each([
	["Westlands", "WESTLANDS"],
	["Ward Block", "WARD-BLOCK"],
	["  Kahawa Café 2 ", "KAHAWA-CAFE"],
	["Duka la Mama Njeri", "DUKA-LA-MAMA"],
	["Ĝis!", "GIS"],
	["…", ""],
	["", ""],
])("the name %j suggests the code %j", (name, code) => {
	expect(suggestCode(name)).toBe(code);
	if (code !== "") expect(isOutletCode(code)).toBe(true);
});

test.each(["", "west", "-A", "A B", "Ä", "A".repeat(33)])("%j is not an outlet code", (text) => {
	expect(isOutletCode(text)).toBe(false);
});

test.each(["A", "WEST-2", "0_1", "A".repeat(32)])("%j is an outlet code", (text) => {
	expect(isOutletCode(text)).toBe(true);
});
