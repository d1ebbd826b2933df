import type { AddOnVersion, PlanVersion } from "../terms/plan.ts";

export type OperationKind = "checkout" | "change" | "renewal";
export type OperationStatus = "requested" | "succeeded" | "credited" | "closed";

/** One of the lines an amount is the sum of. Credit and balance are negative, except credit that is put by for later. */
export type AmountLine = {
	what: "plan" | "add_on" | "credit" | "balance";
	code: string;
	amountMinor: bigint;
};

/** What is to be paid, and from what it follows: `amount = charge − credit − balance`, never negative. */
export type Amount = {
	chargeMinor: bigint;
	creditMinor: bigint;
	/** Taken from the credit of the subscription; negative: added to it. */
	balanceMinor: bigint;
	amountMinor: bigint;
	currency: string;
	lines: readonly AmountLine[];
};

/** What the treasury is asked to collect. It is paid once, however often it is asked for. */
export type Operation = Amount & {
	id: string;
	kind: OperationKind;
	status: OperationStatus;
	/** What is paid for. */
	plan: PlanVersion;
	/** The add-ons there are once a change is paid; null: those there are. */
	addOns: readonly AddOnVersion[] | null;
	/** Of what was paid before: for what is kept through a change, and neither charged nor given back. */
	carriedMinor: bigint;
	fromPlanVersionId: string;
	/** The end of the period it was reckoned for; null: nothing was paid before. */
	fromPeriodEndsAt: Date | null;
	attempt: number;
	paymentId: string | null;
	/** What the treasury said of the last attempt. */
	failure: string | null;
	/** Why we gave it up ourselves. */
	closedBecause: string | null;
	/** When it was reckoned, for a change of plan. */
	quotedAt: Date | null;
	requestedAt: Date;
	/** Given up then; null: not by time alone. */
	endsAt: Date | null;
	settledAt: Date | null;
};
