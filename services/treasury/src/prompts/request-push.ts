import { randomUUID } from "node:crypto";
import { chassisFailures } from "@lango/chassis";
import { uuidV7 } from "@lango/events";
import { enqueueJob } from "@lango/jobs";
import { type Database, inTenant } from "@lango/postgres";
import { gatewayFailures } from "../gateways/calls/failures.ts";
import type { MobileMoney } from "../gateways/mobile-money/account.ts";
import { startPush } from "../gateways/mobile-money/push.ts";
import { requireNotHalted } from "../halts/require-not-halted.ts";
import { issueCallbackToken } from "../inbox/callback-token.store.ts";
import { callbackUrl } from "../inbox/callback-token.ts";
import { retryConflicts } from "../ledger/retry-conflicts.ts";
import { readPhone } from "../money/phone.ts";
import { applyOutcome } from "../outcomes/apply-outcome.ts";
import { spendUnused } from "../outcomes/collecting/pay-from-unused.ts";
import type { Said } from "../outcomes/evidence/evidence.ts";
import { findAttempt, listAttempts, recordAttempt } from "../payments/attempt.store.ts";
import type { Attempt } from "../payments/attempt.ts";
import { paymentFailures } from "../payments/failures.ts";
import { lockIntent, type StoredIntent } from "../payments/intent.store.ts";
import { isOpen, type Payee } from "../payments/intent.ts";
import { findPromptGuard, type Guarded, takePromptGuards } from "../payments/prompt-guard.store.ts";
import { findOwnerId } from "../platform-owner.ts";
import { ladders } from "../recovery/ladder.ts";
import type { Treasury } from "../treasury.ts";
import { amountDue } from "../unapplied/amount-due.ts";
import { lockBillsOf } from "../unapplied/unapplied.store.ts";
import { planRetry } from "./plan-retry.ts";
import { admitsPush, amountOfPush, refusalOfPush } from "./push-amount.ts";

export type PushRequest = {
	tenantId: string;
	intentId: string;
	/** The payee of the intent. */
	payee: Payee;
	phone: string;
	/** The person or program that asks. */
	requestedBy: string;
	/** How many prompts of the intent may start within 24 hours, for a payer without an account. */
	promptsMax?: number;
};

/**
 * The gateway asks the payer for a minute; its own limit is a little longer. It takes the same amount of
 * the same phone again after two minutes.
 */
const promptMs = 120_000;
/** It is asked about for 24 hours, and a callback may come 72 hours later. */
const tokenMs = 96 * 3_600_000;

/**
 * Asks a phone to pay what an intent still needs. The attempt is stored before the gateway is called, and
 * its answer afterwards: an answer that never comes leaves it to be found out. A prompt that the gateway
 * does not take now is tried again by a job. Throws `phone_invalid`,
 * `intent_not_found`, `intent_closed`, `channel_unavailable`, `amount_not_whole`, `amount_out_of_range`,
 * `prompt_live`, `prompt_too_soon`, and what `requireMobileMoney` throws.
 */
export async function requestPush(domain: Treasury, request: PushRequest): Promise<Attempt> {
	const { db, now, settings, gateways } = domain;
	const phone = readPhone(request.phone);
	if (phone === undefined) throw paymentFailures.phone_invalid({ fields: { field: "phone", in: "body" } });
	const { tenantId, intentId, payee } = request;
	const account = await gateways.requireMobileMoney(
		payee === "platform" ? await findOwnerId(domain) : tenantId,
	);
	const prepared = await retryConflicts(() =>
		inTenant(db, tenantId, (tx) => prepare(tx, { ...request, phone, account, now: now() })),
	);
	if (prepared === undefined) throw paymentFailures.intent_closed();
	const { intent, attempt, token } = prepared;
	const answer = await startPush(account, {
		amountMinor: attempt.amountMinor,
		phone,
		accountReference: intent.accountCode,
		description: intent.description,
		callbackUrl: callbackUrl(settings.publicBaseUrl, {
			...{ route: "callback", profileId: account.profile.id, token },
		}),
	});
	const said = saidBy(answer);
	const about = {
		...{ tenantId, attemptId: attempt.id, of: { intentId, payee } },
		...({ source: "answer", sourceId: request.requestedBy } as const),
	};
	return retryConflicts(() =>
		inTenant(db, tenantId, async (tx) => {
			await applyOutcome(tx, { ...about, said, at: now() });
			const applied = await findAttempt(tx, attempt.id);
			if (applied === undefined) throw chassisFailures.internal();
			if (answer.is === "refused" && answer.isRetryable) await planRetry(tx, applied);
			return applied;
		}),
	);
}

type Preparing = PushRequest & { account: MobileMoney; now: Date };

/** Returns undefined if the tenant's unused money has paid the bill. */
async function prepare(tx: Database, preparing: Preparing) {
	const { tenantId, intentId, payee, phone, account, now } = preparing;
	const { shortcode, profile } = account;
	await requireNotHalted(tx, tenantId, "collections");
	if (payee === "platform") await lockBillsOf(tx, tenantId);
	const intent = await lockIntent(tx, intentId);
	if (intent === undefined) throw paymentFailures.intent_not_found();
	if (!isOpen(intent) || intent.expiresAt <= now) throw paymentFailures.intent_closed();
	if (!admitsPush(intent)) throw gatewayFailures.channel_unavailable();
	await requireUnspent(tx, preparing);
	const unusedMinor = await spendUnused(tx, intent, { source: "request", now });
	if (unusedMinor === undefined) return undefined;
	const amountMinor = amountToAsk(await amountDue(tx, intent, unusedMinor), intent, profile);
	const until = new Date(now.getTime() + promptMs);
	await requireFree(tx, { shortcode, phone, amountMinor, until, now });
	const [firstCheck] = ladders.push;
	const attempt = await recordAttempt(tx, {
		...{ tenantId, id: uuidV7(now), intentId, amountMinor, channel: "push", shortcode, phone },
		custody: intent.payee,
		reference: `pay-${randomUUID().replaceAll("-", "")}`,
		nextCheckAt: new Date(now.getTime() + firstCheck * 1000),
		...{ expiresAt: until, now },
	});
	const token = await issueCallbackToken(
		tx,
		{
			...{ tenantId, profileId: profile.id, route: "callback", objectKind: "attempt", objectId: attempt.id },
			platformShortcode: payee === "platform" ? shortcode : undefined,
			expiresAt: new Date(now.getTime() + tokenMs),
		},
		now,
	);
	await enqueueJob(tx, { name: "attempts.query" }, { id: attempt.id, tenantId, afterSeconds: firstCheck });
	return { intent, attempt, token };
}

/**
 * Throws `prompt_live` while the phone is being asked, and `prompt_too_soon` if it was asked for this
 * amount less than two minutes ago: the gateway refuses both.
 */
async function requireFree(
	tx: Database,
	{ until, now, shortcode, phone, amountMinor }: Required<Guarded> & { until: Date; now: Date },
): Promise<void> {
	const wanted: Guarded[] = [
		{ shortcode, phone },
		{ shortcode, phone, amountMinor },
	];
	const guarded = await takePromptGuards(tx, wanted, { until, now });
	if (guarded === undefined) return;
	const end = (await findPromptGuard(tx, guarded)) ?? until;
	const seconds = Math.max(1, Math.ceil((end.getTime() - now.getTime()) / 1000));
	const failure = guarded.amountMinor === undefined ? "prompt_live" : "prompt_too_soon";
	throw paymentFailures[failure]({
		fields: { retry_after_seconds: seconds },
		headers: { "retry-after": String(seconds) },
	});
}

const dayMs = 86_400_000;

/** Throws `prompts_spent`. The intent is locked, so that prompts are counted one after the other. */
async function requireUnspent(tx: Database, { intentId, promptsMax, now }: Preparing): Promise<void> {
	if (promptsMax === undefined) return;
	const since = new Date(now.getTime() - dayMs);
	const today = (await listAttempts(tx, [intentId])).filter(
		({ channel, createdAt }) => channel === "push" && createdAt > since,
	);
	if (today.length >= promptsMax) throw paymentFailures.prompts_spent();
}

/** Throws `amount_not_whole` and `amount_out_of_range`. */
function amountToAsk(dueMinor: bigint, intent: StoredIntent, { settings }: MobileMoney["profile"]): bigint {
	const amountMinor = amountOfPush(dueMinor, intent);
	const refusal = refusalOfPush(amountMinor, settings);
	if (refusal !== undefined) throw refusal;
	return amountMinor;
}

function saidBy(answer: Awaited<ReturnType<typeof startPush>>): Said {
	if (answer.is === "accepted") return { kind: "accepted", ...answer.ids };
	if (answer.is === "refused") return { kind: "rejected", code: answer.code };
	return { kind: "unknown", because: answer.because };
}
