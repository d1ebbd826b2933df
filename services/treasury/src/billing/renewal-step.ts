import { type Attempt, isLive } from "../payments/attempt.ts";
import type { Intent } from "../payments/intent.ts";
import type { FailureReason } from "../payments/intent-events.ts";
import type { Payer } from "../prompts/payer.store.ts";
import { hoursUntilDay } from "./waking-hours.ts";

/** A bill that is collected without a person, and what is known about it. */
export type Renewal = {
	intent: Pick<Intent, "askedAt">;
	/** The phone of the billing method; undefined: none can pay the bill. */
	phone: string | undefined;
	/** Whether the payer's wallet pays by a standing order, or a card is charged. */
	isByItself: boolean;
	payer: Payer;
	/** Whether the operator has stopped collections. */
	isHalted: boolean;
	attempts: readonly Attempt[];
};

/** What is done next: a phone is asked, or nothing for some seconds, or the asking has failed. */
export type RenewalStep =
	| { do: "ask"; phone: string }
	| { do: "wait"; seconds: number }
	| { do: "fail"; reason: FailureReason };

const promptsMax = 3;
const pauseSeconds = 4 * 3_600;
/** The gateway has refused the prompt, so that no phone was asked. */
const refusedSeconds = 1_800;
/** After which time it is looked again, when that can be sooner than planned. */
export const retrySeconds = 300;

/** How long after the asking a phone is asked at most. */
export const asksAtMostMs = 20 * 3_600_000;

/**
 * Returns what is done for a renewal: its phone is asked between 08:00 and 20:00 of the tenant, three
 * times, four hours apart, and at the latest 20 hours after the asking. A prompt that the gateway has
 * refused does not count, and no phone is asked while another prompt is open or the tenant is suspended.
 * A standing order or a card subscription has 48 hours to pay it.
 */
export function nextStep(renewal: Renewal, at: Date): RenewalStep {
	const { intent, phone, payer, isHalted, attempts, isByItself } = renewal;
	if (isByItself) return awaitExecution(intent, at);
	if (phone === undefined) return { do: "fail", reason: "no_billing_method" };
	const { prompts, tried, sent } = promptsOf(attempts, { phone, since: intent.askedAt });
	const left = secondsBetween(at, intent.askedAt) + asksAtMostMs / 1_000;
	const isStopped = isHalted && sent.length === 0;
	const reason = isStopped ? "halted" : reasonOf(sent.at(-1) ?? tried.at(-1));
	const failed = { do: "fail", reason } as const;
	if (left <= 0) return failed;
	const wait = (seconds: number) => ({ do: "wait", seconds: Math.ceil(Math.min(seconds, left)) }) as const;
	if (!payer.isServed || prompts.some(isLive)) return wait(retrySeconds);
	const pause = pauseAfter(tried.at(-1), at);
	if (pause > 0) return wait(pause);
	if (sent.length >= promptsMax) return failed;
	const hours = hoursUntilDay(at, payer.timeZone);
	return hours > 0 ? wait(hours * 3_600) : { do: "ask", phone };
}

const executionSeconds = 48 * 3_600;
/** The billing method may change meanwhile. */
const lookSeconds = 3_600;

function awaitExecution({ askedAt }: Renewal["intent"], at: Date): RenewalStep {
	const left = Math.ceil(secondsBetween(at, askedAt) + executionSeconds);
	return left > 0
		? { do: "wait", seconds: Math.min(left, lookSeconds) }
		: { do: "fail", reason: "not_executed" };
}

/** The prompts of an asking: all, those of the phone, and those of them that may have reached it. */
function promptsOf(attempts: readonly Attempt[], { phone, since }: { phone: string; since: Date }) {
	const prompts = attempts.filter(({ channel, createdAt }) => channel === "push" && createdAt >= since);
	const tried = prompts.filter((prompt) => prompt.phone === phone);
	return { prompts, tried, sent: tried.filter(({ status }) => status !== "rejected") };
}

const secondsBetween = (from: Date, to: Date): number => (to.getTime() - from.getTime()) / 1_000;

/** Seconds until the phone may be asked again. */
function pauseAfter(last: Attempt | undefined, at: Date): number {
	if (last === undefined) return 0;
	return secondsBetween(at, last.createdAt) + (last.status === "rejected" ? refusedSeconds : pauseSeconds);
}

/** Codes of prompts that ended otherwise than by the payer. */
const reasonsByCode: Readonly<Record<string, FailureReason>> = {
	"1": "insufficient_funds",
	"1019": "expired",
	timeout: "expired",
};

/** Statuses of a last prompt after which the rest was not paid in time: it may have paid a part. */
const outOfTime: ReadonlySet<string> = new Set(["expired", "succeeded"]);

function reasonOf(last: Attempt | undefined): FailureReason {
	if (last?.status === "cancelled") return "cancelled_by_payer";
	if (last === undefined || outOfTime.has(last.status) || isLive(last)) return "expired";
	return reasonsByCode[last.failureCode ?? ""] ?? "refused";
}
