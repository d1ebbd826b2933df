import { failuresMax, nextLookUpAt, openStatuses, ranks, retryDelayMs } from "../delivery.ts";
import type { Outcome } from "../provider.ts";
import type { Claimed, Lane } from "./claim.store.ts";
import type { Result } from "./settle.store.ts";

/** An attempt to send a delivery, and how it ended. */
export type Attempt = {
	lane: Lane;
	claimed: Claimed;
	provider: { id: string; kind: string; name: string } | undefined;
	outcome: Outcome;
	/** How long the call took, in milliseconds. */
	tookMs: number;
	/** When the provider was called. */
	calledAt: Date;
	now: Date;
	/** In [0, 1): the jitter of a retry. */
	random: number;
};

/** Sent again after an unknown outcome; a second SMS or WhatsApp message would cost money and trust. */
const mayRepeat: ReadonlySet<string> = new Set(["email", "push", "in_app"]);

/** Returns the change of a delivery that follows from an attempt (state machine of the README). */
export function resultOf(attempt: Attempt): Result {
	const { claimed, provider, outcome, tookMs } = attempt;
	const detail = {
		attempt: claimed.attempt,
		outcome: outcome.is,
		took_ms: Math.round(tookMs),
		...(provider !== undefined && { provider: provider.name, provider_kind: provider.kind }),
		...("code" in outcome && { code: outcome.code }),
	};
	const result = {
		id: claimed.id,
		attempt: claimed.attempt,
		// An answer that is recorded after its lease ended still counts while no other attempt has begun.
		from: outcome.is === "unknown" ? (["sending"] as const) : [...openStatuses],
		...(provider !== undefined && { providerId: provider.id }),
	};
	const change = changeOf(attempt);
	return {
		...result,
		...change,
		event: {
			kind: "attempt",
			detail: { ...detail, ...(change.dueAt !== undefined && { next_at: change.dueAt.toISOString() }) },
		},
	};
}

type Change = Pick<
	Result,
	"status" | "rank" | "ref" | "errorClass" | "errorCode" | "dueAt" | "isFailure" | "suppress"
>;

function changeOf(attempt: Attempt): Change {
	const { lane, outcome, calledAt, now } = attempt;
	if (outcome.is === "accepted")
		return {
			status: "sent",
			rank: ranks.sent,
			...(outcome.ref !== undefined && { ref: outcome.ref }),
		};
	if (outcome.is === "unknown") {
		if (mayRepeat.has(lane.channel)) return retry(attempt, { errorClass: "unknown", isFailure: true });
		return {
			status: "unknown",
			errorClass: "unknown",
			errorCode: outcome.code,
			dueAt: nextLookUpAt(calledAt, now),
		};
	}
	if (!outcome.mayRetry)
		return {
			...{ status: "failed", errorClass: "refused", errorCode: outcome.code, isFailure: true },
			...(outcome.isAddressBad === true && { suppress: lane.channel === "email" ? "bounce" : "invalid" }),
		};
	const isUnreachable = outcome.isUnreachable === true;
	return retry(attempt, {
		errorClass: isUnreachable ? "unreachable" : "refused",
		isFailure: !isUnreachable,
	});
}

function retry(
	{ lane, claimed, outcome, now, random }: Attempt,
	{ errorClass, isFailure }: { errorClass: string; isFailure: boolean },
): Change {
	const errorCode = "code" in outcome ? outcome.code : "";
	const about = { errorClass, errorCode, isFailure };
	if (isFailure && claimed.failures + 1 >= failuresMax) return { status: "dead", ...about };
	const afterSeconds = "afterSeconds" in outcome ? outcome.afterSeconds : undefined;
	const delay = retryDelayMs(lane.messageClass, {
		// Claims are not counted: one whose call was postponed, or whose lease was lost, does not lengthen the
		// delay.
		tries: claimed.tries + 1,
		random,
		...(afterSeconds !== undefined && { afterSeconds }),
	});
	const dueAt = new Date(now.getTime() + delay);
	// A delivery that expires before its next attempt waits for its expiry, which then ends it.
	return { status: "queued", ...about, dueAt: dueAt > claimed.expiresAt ? claimed.expiresAt : dueAt };
}
