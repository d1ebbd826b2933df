/**
 * Where money is: charged and not yet settled, the transfer balance, the bank account, the gateway's income.
 */
export type Account = "unsettled" | "balance" | "bank" | "fees";

/** Why money moved. */
type MovementKind =
	| "charge"
	| "fee"
	| "refund"
	| "dispute"
	| "settlement"
	| "top_up"
	| "transfer"
	| "transfer_returned";

/** What is in one account of one currency: the sum of its movements. Its name is both of them. */
export type AccountBalance = {
	ordinal: number;
	name: string;
	account: Account;
	currency: string;
	amount: number;
};

/** One change of one account by a signed amount of lowest units. */
export type Movement = {
	ordinal: number;
	at: string;
	account: Account;
	currency: string;
	amount: number;
	kind: MovementKind;
	/** The reference, or the id, of what moved it. */
	subject: string;
};
