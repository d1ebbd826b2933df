import type { AddOnVersion, PlanVersion } from "../terms/plan.ts";

export type OperationKind = "checkout" | "change" | "renewal";
export type OperationStatus = "requested" | "succeeded" | "credited" | "closed";

/**
 * A line of an amount. Credit and balance are negative, except surplus credit that is added to the balance.
 */
export type AmountLine = {
	what: "plan" | "add_on" | "credit" | "balance";
	code: string;
	amountMinor: bigint;
};

/** What is to be paid: `amount = charge − credit − balance`, never negative. */
export type Amount = {
	chargeMinor: bigint;
	creditMinor: bigint;
	/** Taken from the credit of the subscription; negative: added to it. */
	balanceMinor: bigint;
	amountMinor: bigint;
	currency: string;
	lines: readonly AmountLine[];
};

/**
 * A payment that the treasury is asked to collect. It is paid at most once, however often it is requested.
 */
export type Operation = Amount & {
	id: string;
	kind: OperationKind;
	status: OperationStatus;
	/** The plan that is paid for. */
	plan: PlanVersion;
	/** The add-ons after the change is paid; null: the current ones. */
	addOns: readonly AddOnVersion[] | null;
	/** The part of the earlier payment that covers what a change keeps: neither charged nor credited again. */
	carriedMinor: bigint;
	fromPlanVersionId: string;
	/** The end of the period for which it was priced; null: nothing was paid before. */
	fromPeriodEndsAt: Date | null;
	attempt: number;
	paymentId: string | null;
	/** The treasury's reason for the last failure. */
	failure: string | null;
	/** Why this service closed it. */
	closedBecause: string | null;
	/** When a change of plan was priced. */
	quotedAt: Date | null;
	requestedAt: Date;
	/** When it is closed if it is not paid; null: never by time alone. */
	endsAt: Date | null;
	settledAt: Date | null;
};
