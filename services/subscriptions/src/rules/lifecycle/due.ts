import { chargesOfPeriod, reckon } from "../money/amount.ts";
import { askAgain, closeOpen, openOperation, reckonOpenAnew } from "./open-operation.ts";
import { type SubscriptionState, stateAt } from "./state.ts";
import {
	balanceIn,
	type Change,
	daysAfter,
	type HeldSubscription,
	type Moment,
	openOperationOf,
	type Tell,
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

type Due = { at: Date; fall: (held: HeldSubscription, at: Date, moment: Moment) => Change };

/** More than this falls due in one step only after a very long time; the rest then follows in the next. */
const stepsMax = 100;

/**
 * All that has fallen due until now, in its order. What is late happens as of its own time, and is never given as a present. Before
 * it, what is asked for is lowered by credit that came since.
 */
export function settleDue(begun: HeldSubscription, moment: Moment): Change {
	const known =
		begun.toldState === null ? { ...begun, toldState: stateKey(stateAt(begun, moment.now)) } : begun;
	const reckoned = reckonOpenAnew(known, moment);
	let { held } = reckoned;
	const tells: Tell[] = [...reckoned.tells];
	for (let step = 0; step < stepsMax; step += 1) {
		const due = earliestOf(held);
		if (due === undefined || due.at > moment.now) break;
		const change = due.fall(held, due.at, moment);
		held = change.held;
		tells.push(...change.tells);
	}
	return { held, tells };
}

/** When something will be due by time alone; null: never. */
export function nextDueAt(held: HeldSubscription): Date | null {
	return earliestOf(held)?.at ?? null;
}

/** In the order in which they happen when they fall due at the same moment. */
function earliestOf(held: HeldSubscription): Due | undefined {
	const { pending, cancelledAt, periodEndsAt, renewalsAsked } = held;
	const open = openOperationOf(held);
	const isAskedAtAll = cancelledAt === null && held.isSuspended !== true;
	const renewalDay = isAskedAtAll ? renewalDays[renewalsAsked] : undefined;
	const dues: Array<Due | undefined> = [
		warningOf(held),
		open?.endsAt ? { at: open.endsAt, fall: giveUp } : undefined,
		pending?.from ? { at: pending.from, fall: takePending } : undefined,
		periodEndsAt !== null && renewalDay !== undefined
			? { at: laterOf(daysAfter(periodEndsAt, renewalDay), toldSince(held)), fall: askForRenewal }
			: undefined,
		boundaryOf(held),
	];
	return dues.reduce((first, due) => {
		if (due === undefined) return first;
		return first === undefined || due.at < first.at ? due : first;
	}, undefined);
}

/** Since when it is as others were told: what was put off is asked for as of then, and nothing is told twice. */
function toldSince({ toldState, expiresAt, graceUntil }: HeldSubscription): Date | null {
	if (toldState === "EXPIRED read_only") return graceUntil;
	return toldState === "EXPIRED grace" ? expiresAt : null;
}

const laterOf = (one: Date, other: Date | null) => (other !== null && other > one ? other : one);

function warningOf({
	periodEndsAt,
	expiresAt,
	isTrialEndingTold,
	toldState,
	isSuspended,
}: HeldSubscription): Due | undefined {
	if (isSuspended === true || periodEndsAt !== null || isTrialEndingTold || toldState !== "TRIAL full")
		return undefined;
	return {
		at: daysAfter(expiresAt, -trialWarningDays),
		fall: (held) => ({
			held: { ...held, isTrialEndingTold: true },
			tells: [{ what: "trial_ending", trialEndsAt: held.expiresAt }],
		}),
	};
}

const giveUp: Due["fall"] = (held, at) => ({
	held: closeOpen(held, { now: at, because: "unanswered" }),
	tells: [],
});

/** The plan and the add-ons that waited take the place of the present ones; with another interval the months are counted anew. */
const takePending: Due["fall"] = (held) => {
	const { pending, plan: before } = held;
	if (pending === null) return { held, tells: [] };
	const { plan, addOns } = pending;
	const isOtherInterval = plan.interval !== before.interval;
	return {
		held: {
			...held,
			plan,
			addOns: addOns ?? held.addOns,
			pending: null,
			...(isOtherInterval && { anchorAt: null }),
		},
		tells: [],
	};
};

const renewalsPassed = ({ periodEndsAt }: HeldSubscription, now: Date) =>
	renewalDays.filter((day) => periodEndsAt !== null && daysAfter(periodEndsAt, day) <= now).length;

/** With the retries of a renewal taken up again: what has passed meanwhile is not asked for, what is still to come is. */
export function takeUpRetries(held: HeldSubscription, now: Date): HeldSubscription {
	return { ...held, renewalsAsked: renewalsPassed(held, now) };
}

/**
 * Moments of the schedule that have passed together are one question. A first payment that is under way is not doubled. What has expired
 * and is paid by credit begins now, as if it were paid now.
 */
const askForRenewal: Due["fall"] = (held, at, moment) => {
	const { plan, addOns } = held;
	const asked = {
		...held,
		renewalsAsked: Math.max(renewalsPassed(held, moment.now), held.renewalsAsked + 1),
	};
	const open = openOperationOf(asked);
	if (open?.kind === "renewal") return askAgain(asked, open);
	if (open?.kind === "checkout") return { held: asked, tells: [] };
	const amount = reckon({
		charges: chargesOfPeriod({ plan, addOns }),
		credits: [],
		currency: plan.currency,
		balanceMinor: balanceIn(asked, plan.currency),
	});
	const opensAt = toldSince(held) === null ? at : moment.now;
	const opened = openOperation(
		asked,
		{ kind: "renewal", plan, amount, quotedAt: null },
		{ ...moment, now: opensAt },
	);
	const isDone = openOperationOf(opened.held) === undefined;
	const toldState = stateKey(stateAt(opened.held, isDone ? opensAt : at));
	return { ...opened, held: { ...opened.held, toldState } };
};

/** The end of the state that others were told of. */
function boundaryOf({ toldState, periodEndsAt, expiresAt, graceUntil }: HeldSubscription): Due | undefined {
	const ends: Readonly<Record<string, Date | null>> = {
		"TRIAL full": expiresAt,
		"ACTIVE full": periodEndsAt,
		"PAST_DUE full": expiresAt,
		"EXPIRED grace": graceUntil,
	};
	const at = ends[toldState ?? ""] ?? null;
	return at === null ? undefined : { at, fall: crossBoundary };
}

const crossBoundary: Due["fall"] = (held, at) => {
	const state = stateAt(held, at);
	const { expiresAt, graceUntil, periodEndsAt, cancelledAt } = held;
	const unpaid = cancelledAt === null ? ("unpaid" as const) : ("cancelled" as const);
	const because = periodEndsAt === null ? ("trial_ended" as const) : unpaid;
	const hasExpired = state.status === "EXPIRED" && held.toldState !== "EXPIRED grace";
	const tells: readonly Tell[] = [
		...(hasExpired ? [{ what: "expired" as const, because, expiredAt: expiresAt, graceUntil }] : []),
		// A plan without grace ends both at once.
		...(state.access === "read_only" ? [{ what: "grace_ended" as const, endedAt: graceUntil }] : []),
	];
	return { held: { ...held, toldState: stateKey(state) }, tells };
};
