import { chargesOfPeriod, computeAmount } from "../money/amount.ts";
import {
	closeOpenOperation,
	openOperation,
	repriceOpenOperation,
	requestPaymentAgain,
} from "./open-operation.ts";
import { type SubscriptionState, stateAt } from "./state.ts";
import {
	type Announcement,
	balanceIn,
	type Change,
	daysAfter,
	type FullSubscription,
	type Moment,
	openOperationOf,
} from "./subscription.ts";

/**
 * Days after the end of a period on which its renewal payment is requested: at once, six retries with full
 * access, and weekly while the tenant is read-only (spec §3: billing retries continue).
 */
export const renewalDays: readonly number[] = [0, 1, 3, 5, 7, 10, 14, 28, 35, 42, 49, 56, 63, 70, 77, 84, 90];
const trialWarningDays = 3;

/** The stored form of a state that was announced. */
export function stateKey({ status, access }: Pick<SubscriptionState, "status" | "access">): string {
	return `${status} ${access}`;
}

type DueEvent = { at: Date; apply: (subscription: FullSubscription, at: Date, moment: Moment) => Change };

/** Bounds the loop. If more is due, the next settlement continues. */
const stepsMax = 100;

/**
 * Applies everything that is due at `now`, in order. A late step takes effect as of its own time, so that a
 * delay gives nothing away. First it reprices the open operation with the credit that arrived since.
 */
export function settleDue(initial: FullSubscription, moment: Moment): Change {
	const known =
		initial.announcedState === null
			? { ...initial, announcedState: stateKey(stateAt(initial, moment.now)) }
			: initial;
	const priced = repriceOpenOperation(known, moment);
	let { subscription } = priced;
	const announcements: Announcement[] = [...priced.announcements];
	for (let step = 0; step < stepsMax; step += 1) {
		const due = earliestOf(subscription);
		if (due === undefined || due.at > moment.now) break;
		const change = due.apply(subscription, due.at, moment);
		subscription = change.subscription;
		announcements.push(...change.announcements);
	}
	return { subscription, announcements };
}

/** When the next step is due by time alone; null: never. */
export function nextDueAt(subscription: FullSubscription): Date | null {
	return earliestOf(subscription)?.at ?? null;
}

/** Steps that are due at the same moment are applied in this order. */
function earliestOf(subscription: FullSubscription): DueEvent | undefined {
	const { pending, cancelledAt, periodEndsAt, renewalAttempts } = subscription;
	const open = openOperationOf(subscription);
	const isRenewed = cancelledAt === null && subscription.isSuspended !== true;
	const renewalDay = isRenewed ? renewalDays[renewalAttempts] : undefined;
	const candidates: Array<DueEvent | undefined> = [
		warningOf(subscription),
		open?.endsAt ? { at: open.endsAt, apply: closeUnanswered } : undefined,
		pending?.from ? { at: pending.from, apply: applyPendingChange } : undefined,
		periodEndsAt !== null && renewalDay !== undefined
			? {
					at: laterOf(daysAfter(periodEndsAt, renewalDay), announcedStateSince(subscription)),
					apply: requestRenewal,
				}
			: undefined,
		boundaryOf(subscription),
	];
	return candidates.reduce((first, due) => {
		if (due === undefined) return first;
		return first === undefined || due.at < first.at ? due : first;
	}, undefined);
}

/**
 * Since when the announced state applies: a request that was delayed counts from then, and nothing is
 * announced twice.
 */
function announcedStateSince({ announcedState, expiresAt, graceUntil }: FullSubscription): Date | null {
	if (announcedState === "EXPIRED read_only") return graceUntil;
	return announcedState === "EXPIRED grace" ? expiresAt : null;
}

const laterOf = (one: Date, other: Date | null) => (other !== null && other > one ? other : one);

function warningOf({
	periodEndsAt,
	expiresAt,
	isTrialEndingAnnounced,
	announcedState,
	isSuspended,
}: FullSubscription): DueEvent | undefined {
	if (
		isSuspended === true ||
		periodEndsAt !== null ||
		isTrialEndingAnnounced ||
		announcedState !== "TRIAL full"
	)
		return undefined;
	return {
		at: daysAfter(expiresAt, -trialWarningDays),
		apply: (subscription) => ({
			subscription: { ...subscription, isTrialEndingAnnounced: true },
			announcements: [{ what: "trial_ending", trialEndsAt: subscription.expiresAt }],
		}),
	};
}

const closeUnanswered: DueEvent["apply"] = (subscription, at) => ({
	subscription: closeOpenOperation(subscription, { now: at, because: "unanswered" }),
	announcements: [],
});

/**
 * Replaces the plan and the add-ons by the pending ones. A different interval resets the anchor of the
 * months.
 */
const applyPendingChange: DueEvent["apply"] = (subscription) => {
	const { pending, plan: before } = subscription;
	if (pending === null) return { subscription, announcements: [] };
	const { plan, addOns } = pending;
	const isOtherInterval = plan.interval !== before.interval;
	return {
		subscription: {
			...subscription,
			plan,
			addOns: addOns ?? subscription.addOns,
			pending: null,
			...(isOtherInterval && { anchorAt: null }),
		},
		announcements: [],
	};
};

const renewalsPassed = ({ periodEndsAt }: FullSubscription, now: Date) =>
	renewalDays.filter((day) => periodEndsAt !== null && daysAfter(periodEndsAt, day) <= now).length;

/** Resumes the retries of a renewal: those in the past are skipped, later ones follow the schedule. */
export function resumeRetries(subscription: FullSubscription, now: Date): FullSubscription {
	return { ...subscription, renewalAttempts: renewalsPassed(subscription, now) };
}

/**
 * Retries that were missed together become one request. An open first payment is not requested twice. An
 * expired subscription that credit pays for begins now, as if it were paid now.
 */
const requestRenewal: DueEvent["apply"] = (subscription, at, moment) => {
	const { plan, addOns } = subscription;
	const requested = {
		...subscription,
		renewalAttempts: Math.max(renewalsPassed(subscription, moment.now), subscription.renewalAttempts + 1),
	};
	const open = openOperationOf(requested);
	if (open?.kind === "renewal") return requestPaymentAgain(requested, open);
	if (open?.kind === "checkout") return { subscription: requested, announcements: [] };
	const amount = computeAmount({
		charges: chargesOfPeriod({ plan, addOns }),
		credits: [],
		currency: plan.currency,
		balanceMinor: balanceIn(requested, plan.currency),
	});
	const opensAt = announcedStateSince(subscription) === null ? at : moment.now;
	const opened = openOperation(
		requested,
		{ kind: "renewal", plan, amount, quotedAt: null },
		{ ...moment, now: opensAt },
	);
	const isDone = openOperationOf(opened.subscription) === undefined;
	const announcedState = stateKey(stateAt(opened.subscription, isDone ? opensAt : at));
	return { ...opened, subscription: { ...opened.subscription, announcedState } };
};

/** The end of the announced state. */
function boundaryOf({
	announcedState,
	periodEndsAt,
	expiresAt,
	graceUntil,
}: FullSubscription): DueEvent | undefined {
	const ends: Readonly<Record<string, Date | null>> = {
		"TRIAL full": expiresAt,
		"ACTIVE full": periodEndsAt,
		"PAST_DUE full": expiresAt,
		"EXPIRED grace": graceUntil,
	};
	const at = ends[announcedState ?? ""] ?? null;
	return at === null ? undefined : { at, apply: crossBoundary };
}

const crossBoundary: DueEvent["apply"] = (subscription, at) => {
	const state = stateAt(subscription, at);
	const { expiresAt, graceUntil, periodEndsAt, cancelledAt } = subscription;
	const unpaid = cancelledAt === null ? ("unpaid" as const) : ("cancelled" as const);
	const because = periodEndsAt === null ? ("trial_ended" as const) : unpaid;
	const hasExpired = state.status === "EXPIRED" && subscription.announcedState !== "EXPIRED grace";
	const announcements: readonly Announcement[] = [
		...(hasExpired ? [{ what: "expired" as const, because, expiredAt: expiresAt, graceUntil }] : []),
		// Without a grace period both end together.
		...(state.access === "read_only" ? [{ what: "grace_ended" as const, endedAt: graceUntil }] : []),
	];
	return { subscription: { ...subscription, announcedState: stateKey(state) }, announcements };
};
