import fc from "fast-check";
import { expect, test } from "vitest";
import { readCharge, readCharges } from "./read-charge.ts";

test.each([
	["Fee For B2C Payment|KES|22.40", 2_240n],
	["Fee For B2C Payment|KES|22", 2_200n],
	[" Fee | KES | 0.00 ", 0n],
	["Fee For B2C Payment|KES|22.40&Excise Duty|KES|3.36", 2_576n],
	["", undefined],
	[undefined, undefined],
	[null, undefined],
	[{}, undefined],
	["Fee For B2C Payment", undefined],
	["Fee For B2C Payment|KES", undefined],
	["Fee For B2C Payment|KES|", undefined],
	["Fee For B2C Payment|KES|much", undefined],
	["Fee For B2C Payment|KES|-22.40", undefined],
	["Fee For B2C Payment|KES|22.405", undefined],
	["Fee For B2C Payment|USD|22.40", undefined],
	["Fee For B2C Payment|KES|22.40|0.00", undefined],
	["Fee For B2C Payment|KES|22.40&", undefined],
	["Fee For B2C Payment|KES|99999999999.00", undefined],
	["22.40", undefined],
	[22.4, undefined],
])("the charges %j are %s lowest units", (text, minor) => {
	expect(readCharges(text)).toBe(minor);
});

test.each([
	[0, 0n],
	[22.4, 2_240n],
	["22.40", 2_240n],
	["", undefined],
	[undefined, undefined],
	[-1, undefined],
	["much", undefined],
])("the charge %j alone is %s lowest units", (value, minor) => {
	expect(readCharge(value)).toBe(minor);
});

test("I20: charges are read or ignored, whatever they are: nothing is thrown, and nothing is negative", () => {
	const part = fc.oneof(fc.string(), fc.constantFrom("Fee", "KES", "22.40", "-1", "1e400", "|", "&"));
	const text = fc.array(part).map((parts) => parts.join("|"));
	fc.assert(
		fc.property(fc.oneof(fc.anything(), text), (value) => {
			expect((readCharges(value) ?? 0n) >= 0n && (readCharge(value) ?? 0n) >= 0n).toBe(true);
		}),
	);
});
