import type { Operation } from "../money/operation.ts";
import type { AddOnVersion, PlanVersion } from "../terms/plan.ts";
import type { OverageBill } from "./overage-bill.ts";
import type { SubscriptionRecord } from "./state.ts";

/** What was charged for a plan over a time, and how much of it was given back. */
export type PaidLine = {
	id: string;
	operationId: string;
	planVersionId: string;
	startsAt: Date;
	endsAt: Date;
	chargedMinor: bigint;
	creditedMinor: bigint;
};

/** A tenant's subscription with all that changing it needs. Rules take one and give back another; stores write it. */
export type FullSubscription = Omit<SubscriptionRecord, "plan" | "pending" | "addOns"> & {
	plan: PlanVersion;
	pending: { plan: PlanVersion; addOns: readonly AddOnVersion[] | null; from: Date | null } | null;
	addOns: readonly AddOnVersion[];
	trialStartedAt: Date | null;
	periodStartedAt: Date | null;
	timeZone: string;
	/** The tenant is: nothing is asked for or warned of meanwhile. */
	isSuspended?: boolean;
	/** Period n ends n intervals after it. */
	anchorAt: Date | null;
	periodNumber: number;
	cancelledAt: Date | null;
	/** Moments of the schedule of renewals that have passed since the period ended. */
	renewalAttempts: number;
	/** Credit for later, in lowest units. */
	balanceMinor: bigint;
	balanceCurrency: string | null;
	/** Of the present period; null when nothing was charged for it. */
	line: PaidLine | null;
	/** Lines that have been replaced since it was read. */
	closedLines: readonly PaidLine[];
	/** The status and access others were last told of; null: never. */
	announcedState: string | null;
	isTrialEndingAnnounced: boolean;
	/** The one operation that is not answered, and those that were changed since it was read. */
	operations: readonly Operation[];
};

/** Something others are told of beside the snapshot. */
export type Announcement =
	| { what: "trial_ending"; trialEndsAt: Date }
	| { what: "expired"; because: "trial_ended" | "cancelled" | "unpaid"; expiredAt: Date; graceUntil: Date }
	| { what: "grace_ended"; endedAt: Date }
	| { what: "billing_requested"; operation: Operation }
	| { what: "overage_billed" | "overage_unpaid"; bill: OverageBill };

/** What a rule comes to: the subscription as it is then, and what is told. */
export type Change = { subscription: FullSubscription; announcements: readonly Announcement[] };

/** What rules are given of the world outside. */
export type Moment = { now: Date; mint: () => string };

const dayMs = 86_400_000;

export function daysAfter(date: Date, days: number): Date {
	return new Date(date.getTime() + days * dayMs);
}

/** The operation that waits for its answer. */
export function openOperationOf({ operations }: FullSubscription): Operation | undefined {
	return operations.find(({ status }) => status === "requested");
}

/** What of the credit may be used for prices in a currency. */
export function balanceIn({ balanceMinor, balanceCurrency }: FullSubscription, currency: string): bigint {
	return balanceCurrency === currency ? balanceMinor : 0n;
}

/** The same without what the open operation counts on. */
export function freeBalanceIn(subscription: FullSubscription, currency: string): bigint {
	const open = openOperationOf(subscription);
	const promised = open?.currency === currency ? open.balanceMinor : 0n;
	const balance = balanceIn(subscription, currency);
	return promised < balance ? balance - promised : 0n;
}
