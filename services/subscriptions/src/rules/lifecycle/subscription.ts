import type { Operation } from "../money/operation.ts";
import type { AddOnVersion, PlanVersion } from "../terms/plan.ts";
import type { Withdrawal } from "./closing.ts";
import type { OverageBill } from "./overage-bill.ts";
import type { SubscriptionRecord } from "./state.ts";

/** The charge for a plan over a period, and the part of it that was credited. */
export type PaidLine = {
	id: string;
	operationId: string;
	planVersionId: string;
	startsAt: Date;
	endsAt: Date;
	chargedMinor: bigint;
	creditedMinor: bigint;
};

/**
 * A tenant's subscription with everything a change needs. Rules take one and return another; stores write it.
 */
export type FullSubscription = Omit<SubscriptionRecord, "plan" | "pending" | "addOns"> & {
	plan: PlanVersion;
	pending: { plan: PlanVersion; addOns: readonly AddOnVersion[] | null; from: Date | null } | null;
	addOns: readonly AddOnVersion[];
	trialStartedAt: Date | null;
	periodStartedAt: Date | null;
	timeZone: string;
	/** A suspended tenant receives no payment requests and no warnings. */
	isSuspended?: boolean;
	/** Period n ends n intervals after it. */
	anchorAt: Date | null;
	periodNumber: number;
	cancelledAt: Date | null;
	/** Retries of the renewal schedule that have passed since the period ended. */
	renewalAttempts: number;
	/** Credit, in lowest units. */
	balanceMinor: bigint;
	balanceCurrency: string | null;
	/** The charge for the current period; null if nothing was charged. */
	line: PaidLine | null;
	/** Lines that were replaced since the subscription was read. */
	closedLines: readonly PaidLine[];
	/** The status and access announced last; null: never. */
	announcedState: string | null;
	isTrialEndingAnnounced: boolean;
	/** The open operation, and those that changed since the subscription was read. */
	operations: readonly Operation[];
};

/** An event to publish beside the snapshot. */
export type Announcement =
	| { what: "trial_ending"; trialEndsAt: Date }
	| { what: "expired"; because: "trial_ended" | "cancelled" | "unpaid"; expiredAt: Date; graceUntil: Date }
	| { what: "grace_ended"; endedAt: Date }
	| { what: "billing_requested"; operation: Operation }
	| { what: "billing_withdrawn"; operationId: string; because: Withdrawal }
	| { what: "overage_billed" | "overage_unpaid"; bill: OverageBill };

/** The result of a rule: the changed subscription, and the events to publish. */
export type Change = { subscription: FullSubscription; announcements: readonly Announcement[] };

/** What rules receive from outside: the time, and a generator of ids. */
export type Moment = { now: Date; mint: () => string };

const dayMs = 86_400_000;

export function daysAfter(date: Date, days: number): Date {
	return new Date(date.getTime() + days * dayMs);
}

/** The operation that waits for its payment. */
export function openOperationOf({ operations }: FullSubscription): Operation | undefined {
	return operations.find(({ status }) => status === "requested");
}

/** The credit that can be used for prices in a currency. */
export function balanceIn({ balanceMinor, balanceCurrency }: FullSubscription, currency: string): bigint {
	return balanceCurrency === currency ? balanceMinor : 0n;
}

/** The same, without the credit that the open operation counts on. */
export function freeBalanceIn(subscription: FullSubscription, currency: string): bigint {
	const open = openOperationOf(subscription);
	const promised = open?.currency === currency ? open.balanceMinor : 0n;
	const balance = balanceIn(subscription, currency);
	return promised < balance ? balance - promised : 0n;
}
