import { smaller } from "../money/amount.ts";

/** A part of what a refund or a dispute takes of a receipt, by where the money is. */
export type Part = {
	/**
	 * `suspense`: not allocated. `payment`: of the tenant's own trade. `unapplied`, `income`: paid to the
	 * platform, and not used yet, or used for a bill.
	 */
	source: "suspense" | "unapplied" | "income" | "payment";
	/** Of a payment, or of income that of a bill; null of what the tenant owes beyond the receipt. */
	paymentId: string | null;
	amountMinor: bigint;
	/** What of it was not released to the tenant yet: a hold that is released goes back there. */
	pendingMinor: bigint;
};

/** A part that is stored: its money is held, back where it was, or returned to the payer. */
export type StoredPart = Part & HoldOwner & { position: number; state: PartState };

export type PartState = "held" | "released" | "returned";

/** The refund or the dispute of a part. */
export type HoldOwner = { objectKind: "refund" | "dispute"; objectId: string };

/** What was taken of a payment, a receipt or a source, and not given back. Pure. */
export const takenOf = (parts: readonly StoredPart[], isOf: (part: StoredPart) => boolean): bigint =>
	parts
		.filter((part) => part.state !== "released" && isOf(part))
		.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);

/**
 * Divides what is held into what the payer gets, from the first part on, and the rest, which is given back.
 * Pure.
 */
export function divideParts(
	parts: readonly Part[],
	returnedMinor: bigint,
): { returned: readonly Part[]; back: readonly Part[] } {
	let left = returnedMinor;
	const divided = parts.map((part) => {
		const amountMinor = smaller(left, part.amountMinor);
		left -= amountMinor;
		const pendingMinor = smaller(part.pendingMinor, amountMinor);
		return {
			returned: { ...part, amountMinor, pendingMinor },
			back: {
				...{ ...part, amountMinor: part.amountMinor - amountMinor },
				pendingMinor: part.pendingMinor - pendingMinor,
			},
		};
	});
	const isSome = ({ amountMinor }: Part): boolean => amountMinor > 0n;
	return {
		returned: divided.map(({ returned }) => returned).filter(isSome),
		back: divided.map(({ back }) => back).filter(isSome),
	};
}
