import { toMinor } from "../../money/amount.ts";
import { accounts, gatewayFeeOf } from "./account.ts";
import type { Money } from "./collecting.ts";
import { credit, debit, makePosting, type Posting } from "./posting.ts";

/** Posts what a settlement pays out: to the platform's bank account, or to the transfer balance. */
export function settle({ amountMinor, currency, to }: Money & { to: "bank" | "balance" }): Posting {
	return makePosting("settlement", currency, [
		debit(to === "bank" ? accounts.bank : accounts.cardBalance, amountMinor),
		credit(accounts.cardUnsettled, amountMinor),
	]);
}

/** Makes what of a payment is pending available, once its receipt is settled. */
export function release({ amountMinor, currency }: Money): Posting {
	return makePosting("release", currency, [
		debit(accounts.pending, amountMinor),
		credit(accounts.available, amountMinor),
	]);
}

/** Posts money that the operator moves from the bank account to the transfer balance. */
export function topUp({ amountMinor, currency }: Money): Posting {
	return makePosting("top_up", currency, [
		debit(accounts.cardBalance, amountMinor),
		credit(accounts.bank, amountMinor),
	]);
}

/** Posts money that the operator moves from the transfer balance to the bank account. */
export function withdraw({ amountMinor, currency }: Money): Posting {
	return makePosting("withdrawal", currency, [
		debit(accounts.bank, amountMinor),
		credit(accounts.cardBalance, amountMinor),
	]);
}

/** Takes what the gateway paid too little out of the books; a negative amount is what it paid too much. */
export function varyUnsettled({ amountMinor, currency }: Money): Posting {
	return makePosting("variance", currency, [
		debit(accounts.variance, amountMinor),
		credit(accounts.cardUnsettled, amountMinor),
	]);
}

/** Posts what the gateway kept of charges whose fees it does not state, more than was estimated. */
export function keepFee({ amountMinor, currency }: Money): Posting {
	return makePosting("fee_trueup", currency, [
		debit(gatewayFeeOf("other"), amountMinor),
		credit(accounts.cardUnsettled, amountMinor),
	]);
}

/** Gives up a debt of a tenant: the platform bears it. */
export function writeOff({ amountMinor, currency }: Money): Posting {
	return makePosting("write_off", currency, [
		debit(accounts.chargebackLoss, amountMinor),
		credit(accounts.debt, amountMinor),
	]);
}

/** The lines of a posting that is proposed, as they are stored. */
export const toProposed = ({ lines }: Posting) =>
	lines.map(({ side, account: { owner, code }, amountMinor }) => ({
		...{ side, owner, code, amount_minor: toMinor(amountMinor) },
	}));
