import Value from "typebox/value";
import { describe, expect, test } from "vitest";
import { AmountMinor, amountMax, InvalidAmount, readAmount, readDecimal, toMinor } from "./amount.ts";

describe("an amount", () => {
	test.each([
		[1, 1n],
		["100000", 100_000n],
		[1_000_000_000_000, amountMax],
		[5n, 5n],
	])("%s is read exactly", (value, amount) => {
		expect(readAmount(value, "amount_minor")).toBe(amount);
	});

	test.each([
		[0, "amount_minor must be more than 0"],
		["-5", "amount_minor must be more than 0"],
		[1_000_000_000_001, "amount_minor must be at most 1000000000000"],
		[1.5, "amount_minor must be an integer of the lowest units of its currency"],
		[2 ** 53, "amount_minor must be an integer of the lowest units of its currency"],
		["5.00", "amount_minor must be an integer of the lowest units of its currency"],
		["", "amount_minor must be an integer of the lowest units of its currency"],
		[null, "amount_minor must be an integer of the lowest units of its currency"],
	])("%s is refused, and the error names the field", (value, message) => {
		expect(() => readAmount(value, "amount_minor")).toThrow(
			new InvalidAmount("amount_minor", message.slice(13)),
		);
	});

	test("has the same bounds on the wire", () => {
		expect([0, 1, 1.5, 10 ** 12, 10 ** 12 + 1].map((value) => Value.Check(AmountMinor, value))).toEqual([
			false,
			true,
			false,
			true,
			false,
		]);
	});

	test("is written as an integer, and refused if JSON cannot hold it", () => {
		expect([toMinor(amountMax), toMinor(-5n), toMinor(0n)]).toEqual([10 ** 12, -5, 0]);
		expect(() => toMinor(2n ** 53n, "balance_minor")).toThrow("balance_minor is too large for JSON");
	});
});

test.each([
	["1500", "KES", 150_000n],
	["1 500,5", "KES", 150_050n],
	["1500", "UGX", 1500n],
	["1500.5", "UGX", undefined],
	["1.500.50", "KES", undefined],
	["chairs", "KES", undefined],
])("a person types %s, in %s", (text, currency, minor) => {
	expect(readDecimal(text, currency)).toBe(minor);
});
