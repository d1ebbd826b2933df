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
 * Days after the end of a period on which its renewal is asked for: at once, six times while everything stays as it
 * was, and weekly while the tenant only reads (spec §3: billing retries continue), until they end too.
 */
export const renewalDays: readonly number[] = [0, 1, 3, 5, 7, 10, 14, 28, 35, 42, 49, 56, 63, 70, 77, 84, 90];
const trialWarningDays = 3;

/** How a state is written down when others have been told of it. */
export function stateKey({ status, access }: Pick<SubscriptionState, "status" | "access">): string {
	return `${status} ${access}`;
}

type DueEvent = { at: Date; apply: (subscription: FullSubscription, at: Date, moment: Moment) => Change };

/** More than this falls due in one step only after a very long time; the rest then follows in the next. */
const stepsMax = 100;

/**
 * All that has fallen due until now, in its order. What is late happens as of its own time, and is never given as a present. Before
 * it, what is asked for is lowered by credit that came since.
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

/** When something will be due by time alone; null: never. */
export function nextDueAt(subscription: FullSubscription): Date | null {
	return earliestOf(subscription)?.at ?? null;
}

/** In the order in which they happen when they fall due at the same moment. */
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

/** Since when it is as others were told: what was put off is asked for as of then, and nothing is told twice. */
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

/** The plan and the add-ons that waited take the place of the present ones; with another interval the months are counted anew. */
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

/** With the retries of a renewal taken up again: what has passed meanwhile is not asked for, what is still to come is. */
export function resumeRetries(subscription: FullSubscription, now: Date): FullSubscription {
	return { ...subscription, renewalAttempts: renewalsPassed(subscription, now) };
}

/**
 * Moments of the schedule that have passed together are one question. A first payment that is under way is not doubled. What has expired
 * and is paid by credit begins now, as if it were paid now.
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

/** The end of the state that others were told of. */
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
		// A plan without grace ends both at once.
		...(state.access === "read_only" ? [{ what: "grace_ended" as const, endedAt: graceUntil }] : []),
	];
	return { subscription: { ...subscription, announcedState: stateKey(state) }, announcements };
};
