import { type Part, type StoredPart, takenOf } from "../../holds/hold.ts";
import { smaller } from "../../money/amount.ts";
import type { Payment } from "../../payments/payment.store.ts";
import { type Receipt, unallocatedOf } from "../../receipts/receipt.ts";
import type { ReturnedOf } from "../evidence/refund-evidence.ts";

/** A receipt with what was made of it, and what refunds and disputes took of it before. */
export type Returnable = {
	receipt: Receipt;
	/** Of the tenant's own trade, the first first. */
	payments: ReadonlyArray<Payment & { pendingMinor: bigint }>;
	parts: readonly StoredPart[];
	/** What the tenant has paid to the platform and not used. */
	unappliedMinor: bigint;
	/** Payments of bills of which something is left, in the order in which they are taken back. */
	bills: ReadonlyArray<{ paymentId: string; leftMinor: bigint }>;
};

type Wanted = { of: ReturnedOf; amountMinor: bigint; paymentId: string | null };

/** What is left of the wanted part of a receipt: neither returned nor being returned. Pure. */
export function leftOf(returnable: Returnable, { of, paymentId }: Omit<Wanted, "amountMinor">): bigint {
	const { receipt, payments, parts } = returnable;
	const ofPayments = payments
		.filter(({ id }) => of === "whole" || id === paymentId)
		.reduce((sum, payment) => sum + leftOfPayment(payment, parts), 0n);
	if (of === "payment") return ofPayments;
	const platform = receipt.platformMinor - takenOf(parts, isOfPlatform);
	if (of === "suspense") return unallocatedOf(receipt);
	return of === "platform" ? platform : unallocatedOf(receipt) + platform + ofPayments;
}

const leftOfPayment = ({ id, amountMinor }: Payment, parts: readonly StoredPart[]): bigint => {
	const left = amountMinor - takenOf(parts, ({ paymentId }) => paymentId === id);
	return left > 0n ? left : 0n;
};

const isOfPlatform = ({ source }: StoredPart): boolean => source === "unapplied" || source === "income";

/**
 * The parts that a refund or a dispute takes of a receipt: of what is wanted what is not allocated first,
 * then what was paid to the platform, then payments. The gateway may return more than that: the excess is
 * taken from whatever else the receipt has, and what exceeds the receipt is debt. Pure.
 */
export function takeParts(returnable: Returnable, wanted: Wanted): Part[] {
	const sources = sourcesOf(returnable);
	const isOfWanted = (source: Source) => isWanted(source, wanted);
	const ordered = [...sources.filter(isOfWanted), ...sources.filter((source) => !isOfWanted(source))];
	let rest = wanted.amountMinor;
	const taken = ordered.flatMap(({ mostMinor, pendingMinor, ...part }): Part[] => {
		const amountMinor = smaller(rest, mostMinor);
		if (amountMinor <= 0n) return [];
		rest -= amountMinor;
		return [{ ...part, amountMinor, pendingMinor: smaller(pendingMinor, amountMinor) }];
	});
	return rest > 0n ? [...taken, takeAgain(returnable, { wanted, taken, amountMinor: rest })] : taken;
}

/** Where a receipt still has money. */
type Source = Omit<Part, "amountMinor"> & { mostMinor: bigint };

const isWanted = ({ source, paymentId }: Source, wanted: Wanted): boolean => {
	if (wanted.of === "whole") return true;
	if (wanted.of === "payment") return source === "payment" && paymentId === wanted.paymentId;
	return wanted.of === "suspense" ? source === "suspense" : source === "unapplied" || source === "income";
};

function sourcesOf(returnable: Returnable): Source[] {
	const { receipt, payments, parts } = returnable;
	return [
		{ source: "suspense", paymentId: null, mostMinor: unallocatedOf(receipt), pendingMinor: 0n },
		...platformSourcesOf(returnable),
		...payments.map(
			(payment): Source => ({
				...{ source: "payment", paymentId: payment.id, pendingMinor: payment.pendingMinor },
				mostMinor: leftOfPayment(payment, parts),
			}),
		),
	];
}

/** Unused money first, then what bills were paid with. */
function platformSourcesOf({ receipt, parts, unappliedMinor, bills }: Returnable): Source[] {
	let left = receipt.platformMinor - takenOf(parts, isOfPlatform);
	const upTo = (minor: bigint): bigint => {
		const mostMinor = smaller(minor, left);
		left -= mostMinor;
		return mostMinor;
	};
	return [
		{ source: "unapplied", paymentId: null, mostMinor: upTo(unappliedMinor), pendingMinor: 0n },
		...bills.map(
			({ paymentId, leftMinor }): Source => ({
				...{ source: "income", paymentId, mostMinor: upTo(leftMinor), pendingMinor: 0n },
			}),
		),
	];
}

type Exceeding = { wanted: Wanted; taken: readonly Part[]; amountMinor: bigint };

/**
 * More than the receipt has: the payer disputes what is being refunded, or the gateway returned it twice.
 * It is of the payment that is wanted, else of the first. Of a receipt that only paid bills it is of another
 * bill, which is not paid for then (decision 0120); without one the tenant owes it all the same.
 */
function takeAgain({ payments, bills }: Returnable, { wanted, taken, amountMinor }: Exceeding): Part {
	const payment = payments.find(({ id }) => id === wanted.paymentId) ?? payments[0];
	const [bill] = bills;
	if (payment === undefined && bill !== undefined)
		return { source: "income", paymentId: bill.paymentId, amountMinor, pendingMinor: 0n };
	const before = taken.find(({ source, paymentId }) => source === "payment" && paymentId === payment?.id);
	const pendingMinor = (payment?.pendingMinor ?? 0n) - (before?.pendingMinor ?? 0n);
	return {
		...{ source: "payment", paymentId: payment?.id ?? null, amountMinor },
		pendingMinor: smaller(pendingMinor, amountMinor),
	};
}
