import { expect, test } from "vitest";
import { readDecimal } from "./read-decimal.ts";

test.each([
	["5.00", 500n],
	["5", 500n],
	[5, 500n],
	[1.5, 150n],
	["199.99", 19_999n],
	[199.99, 19_999n],
	["0.29", 29n],
	["10.5000", 1_050n],
	["-1540.00", -154_000n],
	[" 7 ", 700n],
])("%j is %s", (value, minor) => {
	expect(readDecimal(value)).toBe(minor);
});

test.each([
	["5.001"],
	["1e3"],
	[1e21],
	[Number.NaN],
	["1,000"],
	["KES 5"],
	[""],
	[null],
	[undefined],
	[{}],
	[true],
])("%j is not an amount", (value) => {
	expect(readDecimal(value)).toBeUndefined();
});
