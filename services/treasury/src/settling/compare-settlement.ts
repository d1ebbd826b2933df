import type { Settlement } from "../settlements/settlement.ts";
import type { LineSums } from "../settlements/settlement-line.store.ts";

type Stated = Pick<Settlement, "effectiveMinor" | "feesMinor" | "deductionsMinor">;
type Sums = Pick<LineSums, "amountMinor" | "feesMinor" | "unstated">;

/** What differs between a settlement and its charges. An amount of 0: nothing does. */
type Difference = {
	/** What the charges come to, less fees and deductions. */
	expectedMinor: bigint;
	/** What arrived more than that; negative: less. */
	amountMinor: bigint;
	/** What the gateway kept more than was posted for charges whose fee it does not state. */
	feeMinor: bigint;
	/** What it took back: as it says, or what is left over. */
	deductedMinor: bigint;
};

/**
 * Compares what a settlement pays out with its charges. What the gateway does not state, fees or deductions,
 * is what is left over: only what is known on both sides counts as a difference of the amount. Pure.
 */
export function compareSettlement(stated: Stated, sums: Sums): Difference {
	const feesMinor = sums.unstated === 0 ? sums.feesMinor : stated.feesMinor;
	const netMinor = sums.amountMinor - (feesMinor ?? sums.feesMinor);
	const leftMinor = netMinor - stated.effectiveMinor;
	const deductedMinor = stated.deductionsMinor ?? (leftMinor > 0n ? leftMinor : 0n);
	const expectedMinor = netMinor - deductedMinor;
	const missingMinor = expectedMinor - stated.effectiveMinor;
	const of = { expectedMinor, deductedMinor };
	if (feesMinor === undefined) return { ...of, amountMinor: 0n, feeMinor: missingMinor };
	return { ...of, amountMinor: -missingMinor, feeMinor: feesMinor - sums.feesMinor };
}
