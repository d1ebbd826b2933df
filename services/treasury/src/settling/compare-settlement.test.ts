import { expect, test } from "vitest";
import { compareSettlement } from "./compare-settlement.ts";

// Charges of 1,000.00, of which 35.00 is the fee.
const known = { amountMinor: 100_000n, feesMinor: 3_500n, unstated: 0 };
const unstated = { ...known, unstated: 1 };
const said = (effectiveMinor: bigint, feesMinor?: bigint, deductionsMinor?: bigint) => ({
	...{ effectiveMinor, feesMinor, deductionsMinor },
});

const noDifference = { amountMinor: 0n, feeMinor: 0n };

test.each([
	{
		title: "all is stated and fits",
		...{ stated: said(86_500n, 3_500n, 10_000n), sums: known },
		found: { ...noDifference, deductedMinor: 10_000n },
	},
	{
		title: "less arrived than all that is stated",
		...{ stated: said(86_000n, 3_500n, 10_000n), sums: known },
		found: { amountMinor: -500n, feeMinor: 0n, deductedMinor: 10_000n },
	},
	{
		title: "more arrived",
		...{ stated: said(97_000n, 3_500n, 0n), sums: known },
		found: { amountMinor: 500n, feeMinor: 0n, deductedMinor: 0n },
	},
	{
		title: "deductions are not stated: they are what is left over",
		...{ stated: said(86_500n, 3_500n), sums: known },
		found: { ...noDifference, deductedMinor: 10_000n },
	},
	{
		title: "deductions are not stated, and more arrived than the charges",
		...{ stated: said(97_000n), sums: known },
		found: { amountMinor: 500n, feeMinor: 0n, deductedMinor: 0n },
	},
	{
		title: "charges state no fee, and the settlement states another one",
		...{ stated: said(96_000n, 4_000n, 0n), sums: unstated },
		found: { amountMinor: 0n, feeMinor: 500n, deductedMinor: 0n },
	},
	{
		title: "charges state no fee, and what arrived does not fit that of the settlement either",
		...{ stated: said(96_200n, 4_000n, 0n), sums: unstated },
		found: { amountMinor: 200n, feeMinor: 500n, deductedMinor: 0n },
	},
	{
		title: "no fee is stated: what is missing is a fee",
		...{ stated: said(96_000n, undefined, 0n), sums: unstated },
		found: { amountMinor: 0n, feeMinor: 500n, deductedMinor: 0n },
	},
	{
		title: "neither is stated: what is left over was deducted",
		...{ stated: said(86_500n), sums: unstated },
		found: { ...noDifference, deductedMinor: 10_000n },
	},
])("$title", ({ stated, sums, found }) => {
	expect(compareSettlement(stated, sums)).toMatchObject(found);
});
