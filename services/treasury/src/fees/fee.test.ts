import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { estimateFee, type FeeChannel, feeChannels, feeRules } from "./fee.ts";

const vectors: ReadonlyArray<[FeeChannel, bigint, bigint]> = [
	["card", 33n, 2_000n],
	["card", 34n, 2_001n],
	["card", 100n, 2_002n],
	["card", 10_000n, 2_150n],
	["card", 100_000n, 3_500n],
	["card", 16_533_266n, 249_999n],
	["card", 16_533_333n, 250_000n],
	["card", 100_000_000n, 250_000n],
	["mobile_money", 99n, 0n],
	["mobile_money", 100n, 1n],
	["mobile_money", 333n, 2n],
	["mobile_money", 100_000n, 500n],
	["bank_transfer", 1_000n, 5_000n],
	["ussd", 1n, 3_000n],
	["ussd", 1_000_000_000_000n, 3_000n],
];

describe("the expected fee", () => {
	test.each(vectors)("by %s of %s is %s", (channel, amount, fee) => {
		expect(estimateFee(amount, channel)).toBe(fee);
	});

	test("never falls when the amount rises, and never exceeds the cap (I17)", () => {
		const amount = fc.bigInt({ min: 1n, max: 1_000_000_000_000n });
		fc.assert(
			fc.property(fc.constantFrom(...feeChannels), amount, amount, (channel, one, other) => {
				const [less, more] = one < other ? [one, other] : [other, one];
				const fees = [estimateFee(less, channel), estimateFee(more, channel)] as const;
				const cap = feeRules[channel].capMinor ?? fees[1];
				return 0n <= fees[0] && fees[0] <= fees[1] && fees[1] <= cap;
			}),
		);
	});
});
