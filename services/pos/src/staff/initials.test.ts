import { expect, test } from "vitest";
import { initialsOf } from "./initials.ts";

test.each([
	["Juma Ali", "JA"],
	["Wanjiru wa Njoroge", "WN"],
	["cher", "C"],
	["  Élodie   ørsted ", "ÉØ"],
	["e\u0301lan", "E\u0301"],
	["", "?"],
])("the initials of %j are %j", (name, initials) => {
	expect(initialsOf(name)).toBe(initials);
});
