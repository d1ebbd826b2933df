import { expect, test } from "vitest";
import { type Channel, feeOf } from "./fee.ts";

test.each<[Channel, number, number]>([
	["card", 33, 2_000],
	["card", 34, 2_001],
	["card", 100, 2_002],
	["card", 10_000, 2_150],
	["card", 100_000, 3_500],
	["card", 16_533_266, 249_999],
	["card", 16_533_333, 250_000],
	["card", 100_000_000, 250_000],
	["mobile_money", 99, 0],
	["mobile_money", 100, 1],
	["mobile_money", 333, 2],
	["mobile_money", 100_000, 500],
	["bank_transfer", 1_000, 5_000],
	["ussd", 1, 3_000],
	["ussd", 100_000_000, 3_000],
])("the fee of a %s payment of %i lowest units is %i", (channel, amount, fee) => {
	expect(feeOf(channel, amount)).toBe(fee);
});
