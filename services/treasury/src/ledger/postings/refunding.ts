import { type Account, accounts } from "./account.ts";
import { credit, debit, type Entry, makePosting, type Posting } from "./posting.ts";

/** An amount of an account: where money is that is returned to a payer, or where it goes. */
export type Share = readonly [account: Account, amountMinor: bigint];

/** Why money is held: it is returned to the payer, or the payer disputes that it was due. */
export type ReturnKind = "refund" | "dispute";

const accountOf = { refund: accounts.refunding, dispute: accounts.disputed } as const;

const sumOf = (shares: readonly Share[]): bigint => shares.reduce((sum, [, amount]) => sum + amount, 0n);
const debits = (shares: readonly Share[]): readonly Entry[] =>
	shares.map(([account, sum]) => debit(account, sum));
const credits = (shares: readonly Share[]): readonly Entry[] =>
	shares.map(([account, sum]) => credit(account, sum));

type Shared = { currency: string; shares: readonly Share[] };

/**
 * Holds what is returned to a payer, or what the payer disputes: what is pending first, then what is
 * available, the rest as debt. `isLate`: the hold was released before, and the gateway returned the money
 * after all.
 */
export function holdReturn(
	kind: ReturnKind,
	{ currency, shares, isLate = false }: Shared & { isLate?: boolean },
): Posting {
	const purpose = kind === "dispute" ? "dispute_hold" : isLate ? "refund_late_hold" : "refund_hold";
	return makePosting(purpose, currency, [...debits(shares), credit(accountOf[kind], sumOf(shares))]);
}

/** Gives back what was held: the refund failed, or the dispute was won. */
export const releaseReturn = (kind: ReturnKind, { currency, shares }: Shared): Posting =>
	makePosting(kind === "refund" ? "refund_release" : "dispute_won", currency, [
		debit(accountOf[kind], sumOf(shares)),
		...credits(shares),
	]);

/** Where the money leaves: the next settlement deducts it, or a float has less. */
type Leaving = { from: Account };

/** Takes what was held out of the books: the payer has it. The gateway keeps its fee. */
export const payReturn = (
	kind: ReturnKind,
	{ currency, amountMinor, from }: Leaving & { currency: string; amountMinor: bigint },
): Posting =>
	makePosting(kind === "refund" ? "refund_paid" : "dispute_lost", currency, [
		debit(accountOf[kind], amountMinor),
		credit(from, amountMinor),
	]);

/** Takes money out of the books that a tenant's own shortcode returned: in its custody nothing is held. */
export const payFromShortcode = ({ currency, shares, from }: Leaving & Shared): Posting =>
	makePosting("refund_paid", currency, [...debits(shares), credit(from, sumOf(shares))]);

/** Pays debt of a tenant from what has become available. */
export const recoverDebt = ({ currency, amountMinor }: { currency: string; amountMinor: bigint }): Posting =>
	makePosting("debt_recovery", currency, [
		debit(accounts.available, amountMinor),
		credit(accounts.debt, amountMinor),
	]);
