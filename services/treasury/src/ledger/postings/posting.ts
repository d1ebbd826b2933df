import { type Account, accounts } from "./account.ts";

type Side = "debit" | "credit";

/** A line of a journal. Its amount is more than 0. */
type Line = { side: Side; account: Account; currency: string; amountMinor: bigint };

/** Why a journal is posted: once for each source (design 7.2). Part two adds its purposes. */
export type Purpose =
	| "collection"
	| "application"
	| "fee_trueup"
	| "suspense"
	| "duplicate"
	| "allocation"
	| "external"
	| "settlement"
	| "release"
	| "top_up"
	| "withdrawal"
	| "variance"
	| "write_off"
	| "correction"
	| "refund_hold"
	| "refund_late_hold"
	| "refund_release"
	| "refund_paid"
	| "dispute_hold"
	| "dispute_won"
	| "dispute_lost"
	| "payout_hold"
	| "payout_release"
	| "payout_paid"
	| "payout_reversed"
	| "payout_late_hold"
	| "payout_charge"
	| "refund_charge"
	| "debt_recovery";

/** What the pure functions of this folder make: one for each row of design 7.2. */
export type Posting = { purpose: Purpose; lines: readonly Line[] };

/** A posting, with what it is of: a purpose of a source is posted once. */
export type Journal = Posting & {
	source: { type: string; id: string };
	/** The stored statement about money on which it rests. */
	evidenceId: string;
	/** When the money moved, as the evidence says. */
	at: Date;
};

/** An amount of either sign on a side of an account. */
export type Entry = readonly [side: Side, account: Account, amountMinor: bigint];

/**
 * Makes the lines of a posting: an entry of 0 is left out, and one that is negative is posted on the other
 * side. Throws an Error if the sides are not equal, which is a bug.
 */
export function makePosting(purpose: Purpose, currency: string, entries: readonly Entry[]): Posting {
	const lines = entries
		.filter(([, , amountMinor]) => amountMinor !== 0n)
		.map(([side, account, amountMinor]) =>
			amountMinor > 0n
				? { side, account, currency, amountMinor }
				: { side: otherSide[side], account, currency, amountMinor: -amountMinor },
		);
	const difference = lines.reduce(
		(sum, { side, amountMinor }) => (side === "debit" ? sum + amountMinor : sum - amountMinor),
		0n,
	);
	if (difference !== 0n) throw new Error(`${purpose}: debit and credit differ by ${difference}`);
	return { purpose, lines };
}

const otherSide: Readonly<Record<Side, Side>> = { debit: "credit", credit: "debit" };

/** A debit of an account. */
export const debit = (account: Account, amountMinor: bigint): Entry => ["debit", account, amountMinor];

/** A credit of an account. */
export const credit = (account: Account, amountMinor: bigint): Entry => ["credit", account, amountMinor];

/** What a fee of the gateway is passed on by: a receivable from the tenant, and revenue of the platform. */
export const passOn = (feeMinor: bigint): readonly Entry[] => [
	debit(accounts.feesDue, feeMinor),
	credit(accounts.feeRecovery, feeMinor),
];
