import { Failure } from "@lango/chassis";
import { enqueueJob } from "@lango/jobs";
import { type Database, inTenant } from "@lango/postgres";
import { retryConflicts } from "../ledger/retry-conflicts.ts";
import { listAttempts } from "../payments/attempt.store.ts";
import { type Attempt, isLive } from "../payments/attempt.ts";
import { findIntent, lockIntent, type StoredIntent } from "../payments/intent.store.ts";
import { isOpen } from "../payments/intent.ts";
import { type FailureReason, recordAskingFailed } from "../payments/intent-events.ts";
import { requestPush } from "../prompts/request-push.ts";
import type { Treasury } from "../treasury.ts";
import { type BillingMethod, findBillingMethod } from "./billing-method.store.ts";
import { phoneFor } from "./phone-for.ts";
import { findTimeZone } from "./time-zone.store.ts";
import { hoursUntilDay } from "./waking-hours.ts";

const promptsMax = 3;
const pauseSeconds = 4 * 3_600;
const asksAtMostMs = 20 * 3_600_000;
const liveSeconds = 300;

/**
 * Asks the phone of the tenant's billing method to pay a bill: between 08:00 and 20:00 of the tenant,
 * three times, four hours apart, and at the latest 20 hours after the asking. Then the asking has failed;
 * the bill can still be paid by hand.
 */
export async function promptRenewal(domain: Treasury, tenantId: string, intentId: string): Promise<void> {
	const { db, now } = domain;
	const { intent, method, attempts, timeZone } = await inTenant(db, tenantId, (tx) => load(tx, intentId));
	if (intent === undefined || !isOpen(intent)) return;
	const phone = phoneFor(intent, method);
	if (phone === undefined) return giveUp(domain, intent, "no_billing_method");
	const asked = attempts.filter(({ createdAt }) => createdAt >= intent.askedAt);
	const at = now();
	const isLate = at.getTime() >= intent.askedAt.getTime() + asksAtMostMs;
	if (asked.some(isLive)) return again(db, intent, liveSeconds);
	if (asked.length >= promptsMax || isLate) return giveUp(domain, intent, reasonOf(asked.at(-1)));
	const hours = hoursUntilDay(at, timeZone);
	if (hours > 0) return again(db, intent, hours * 3_600);
	const request = { tenantId, intentId, phone, requestedBy: "renewal" };
	const sent = await requestPush(domain, request).catch(keepFailure);
	await again(db, intent, sent instanceof Failure || !isLive(sent) ? liveSeconds : pauseSeconds);
}

/** A prompt that is refused now is asked again later; any other error is retried by the job. */
function keepFailure(error: unknown): Failure {
	if (error instanceof Failure) return error;
	throw error;
}

async function load(tx: Database, intentId: string) {
	return {
		intent: await findIntent(tx, intentId),
		method: await findBillingMethod(tx),
		attempts: await listAttempts(tx, [intentId]),
		timeZone: await findTimeZone(tx),
	} satisfies {
		intent: StoredIntent | undefined;
		method: BillingMethod;
		attempts: Attempt[];
		timeZone: string;
	};
}

const again = async (db: Database, { id, tenantId }: StoredIntent, afterSeconds: number): Promise<void> =>
	inTenant(db, tenantId, async (tx) => {
		await enqueueJob(tx, { name: "renewals.prompt" }, { id, tenantId, afterSeconds });
	});

async function giveUp(
	{ db, now }: Treasury,
	{ id, tenantId }: StoredIntent,
	reason: FailureReason,
): Promise<void> {
	await retryConflicts(() =>
		inTenant(db, tenantId, async (tx) => {
			const intent = await lockIntent(tx, id);
			if (intent !== undefined && isOpen(intent))
				await recordAskingFailed(tx, { intent, reason, now: now() });
		}),
	);
}

/** Codes of prompts that ended otherwise than by the payer. */
const reasonsByCode: Readonly<Record<string, FailureReason>> = {
	"1": "insufficient_funds",
	"1019": "expired",
	timeout: "expired",
};

function reasonOf(last: Attempt | undefined): FailureReason {
	if (last?.status === "cancelled") return "cancelled_by_payer";
	if (last === undefined || last.status === "expired") return "expired";
	return reasonsByCode[last.failureCode ?? ""] ?? "refused";
}
