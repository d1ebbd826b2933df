import type { Class } from "./message.ts";
import type { ReportKind } from "./provider.ts";

/** The states of a delivery. */
export const deliveryStatuses = [
	"queued",
	"sending",
	"unknown",
	"sent",
	"delivered",
	"read",
	"failed",
	"undelivered",
	"bounced",
	"suppressed",
	"skipped_preference",
	"skipped_no_credit",
	"skipped_no_subscription",
	"skipped_limit",
	"digested",
	"cancelled",
	"expired",
	"dead",
] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** States in which nothing was sent because nothing was to be sent. */
export const skippedStatuses = [
	"suppressed",
	"skipped_preference",
	"skipped_no_credit",
	"skipped_no_subscription",
	"skipped_limit",
] as const satisfies readonly DeliveryStatus[];

/** States in which a delivery is still to be sent. */
export const openStatuses: ReadonlySet<DeliveryStatus> = new Set(["queued", "sending", "unknown"]);

/**
 * The rank of states after sending: a report only raises it, so that reports in any order and number lead to
 * one state. A delivery that expired with an unknown outcome has rank 1, too: a late report still counts.
 */
export const ranks = { sent: 1, undelivered: 2, delivered: 3, bounced: 4, read: 5 } as const;

/**
 * Returns the state that a report leads to; undefined if it changes none. A complaint says that the message
 * arrived; it adds a suppression instead.
 */
export function stateOfReport(kind: ReportKind): { status: DeliveryStatus; rank: number } | undefined {
	const status = stateByReport[kind];
	return status === undefined ? undefined : { status, rank: ranks[status] };
}

const stateByReport: Readonly<Record<ReportKind, keyof typeof ranks | undefined>> = {
	sent: "sent",
	delivered: "delivered",
	read: "read",
	undelivered: "undelivered",
	soft_bounced: "undelivered",
	bounced: "bounced",
	complained: undefined,
};

/** After this many answered failures a delivery is given up. */
export const failuresMax = 12;

const second = 1_000;
const minute = 60 * second;

/** The shortest and the longest base of a retry's delay by class, in milliseconds. */
const backoffMs: Readonly<Record<Class, { first: number; most: number }>> = {
	urgent: { first: second, most: minute },
	normal: { first: 15 * second, most: 15 * minute },
	bulk: { first: minute, most: 60 * minute },
};

/**
 * Returns the delay before the next attempt in milliseconds: a random share of a bound that doubles with
 * every try without success (full jitter), or longer if the provider asked for it. After the first one an
 * urgent message is tried again at once, because the next try prefers another provider. `random` is at
 * least 0 and below 1.
 */
export function retryDelayMs(
	messageClass: Class,
	{ tries, afterSeconds = 0, random }: { tries: number; afterSeconds?: number; random: number },
): number {
	const { first, most } = backoffMs[messageClass];
	const doublings = tries - (messageClass === "urgent" ? 2 : 1);
	const bound = doublings < 0 ? 0 : Math.min(most, first * 2 ** Math.min(doublings, 20));
	return Math.max(Math.round(bound * random), afterSeconds * second);
}

/** When an unknown outcome is looked up, in milliseconds after the call. */
const lookUpsAfterMs = [minute, 5 * minute, 15 * minute] as const;
/** When an unknown outcome is given up, in milliseconds after the call. */
export const unknownUntilMs = 60 * minute;

/**
 * Returns when the outcome of a call is looked up next, or given up; `calledAt` is the time of the call.
 */
export function nextLookUpAt(calledAt: Date, now: Date): Date {
	const elapsed = now.getTime() - calledAt.getTime();
	const next = lookUpsAfterMs.find((after) => after > elapsed) ?? unknownUntilMs;
	return new Date(calledAt.getTime() + next);
}
