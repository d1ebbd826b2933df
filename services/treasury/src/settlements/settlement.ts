/** What the card gateway pays out to the platform, of one currency. */
export type Settlement = {
	id: string;
	/** The gateway's number of it. */
	gatewayId: string;
	/** The gateway's word. */
	gatewayStatus: string;
	state: SettlementState;
	currency: string;
	/** What arrives. */
	effectiveMinor: bigint;
	/** What was collected; undefined if the gateway does not say. */
	processedMinor: bigint | undefined;
	feesMinor: bigint | undefined;
	/** Refunds and lost disputes that the gateway takes back; undefined if it does not say. */
	deductionsMinor: bigint | undefined;
	settlesTo: SettlesTo;
	settledAt: Date;
	/** When all its lines were stored. */
	listedAt: Date | undefined;
};

/**
 * `announced`: it is not paid out yet. `paid`: some of its charges are not matched with a receipt, or what it
 * deducts is not explained. `matched`: all is.
 */
export const settlementStates = ["announced", "paid", "matched"] as const;

export type SettlementState = (typeof settlementStates)[number];

/** The bank account of the platform, or the transfer balance at the gateway. */
export type SettlesTo = "bank" | "balance";

/** A charge that a settlement contains. */
export type SettlementLine = {
	id: string;
	settlementId: string;
	/** The gateway's number of the charge: that of its receipt. */
	transactionId: string;
	reference: string;
	/** Without what the payer bore of the fee. */
	amountMinor: bigint;
	/** What the gateway kept; undefined if it does not say. */
	feeMinor: bigint | undefined;
	currency: string;
	channel: string | undefined;
	paidAt: Date | undefined;
	state: LineState;
};

/**
 * `missing`: no receipt has its number. `differs`: the receipt has another amount or currency, or was
 * settled before. `accepted`: it was decided that it settles its receipt all the same. `waived`: it was
 * decided that it settles nothing. `replaced`: lines of the receipts that an operator named stand for it.
 * `proposed`: the gateway lists no charges, and the operator has to confirm that this one is among them.
 */
export type LineState =
	| "open"
	| "matched"
	| "missing"
	| "differs"
	| "accepted"
	| "waived"
	| "replaced"
	| "proposed";

/** The states of lines that settle a receipt as soon as there is one. */
export const unsettledStates = ["open", "missing", "accepted"] as const satisfies readonly LineState[];

/** Whether the gateway has paid it out. Every word but one counts as not yet. */
export const isPaidOut = (gatewayStatus: string): boolean => gatewayStatus === "success";
