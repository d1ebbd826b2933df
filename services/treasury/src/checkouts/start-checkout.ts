import { randomUUID } from "node:crypto";
import { chassisFailures } from "@lango/chassis";
import { uuidV7 } from "@lango/events";
import { enqueueJob } from "@lango/jobs";
import { type Database, inTenant } from "@lango/postgres";
import type { Answer } from "../gateways/calls/answer.ts";
import { cardCallbackUrl } from "../gateways/calls/callback-urls.ts";
import { gatewayFailures } from "../gateways/calls/failures.ts";
import { requireAccepted } from "../gateways/calls/require-accepted.ts";
import {
	type CardChannel,
	type Checkout,
	cardChannels,
	initializeTransaction,
} from "../gateways/card-gateway/transactions.ts";
import { requireNotHalted } from "../halts/require-not-halted.ts";
import { retryConflicts } from "../ledger/retry-conflicts.ts";
import { readPhone } from "../money/phone.ts";
import { applyOutcome } from "../outcomes/apply-outcome.ts";
import { spendUnused } from "../outcomes/collecting/pay-from-unused.ts";
import type { Said } from "../outcomes/evidence/evidence.ts";
import { findAttempt, listAttempts, recordAttempt } from "../payments/attempt.store.ts";
import { type Attempt, isLive } from "../payments/attempt.ts";
import { paymentFailures } from "../payments/failures.ts";
import { lockIntent, type StoredIntent } from "../payments/intent.store.ts";
import { isOpen, type Payee } from "../payments/intent.ts";
import { ladders } from "../recovery/ladder.ts";
import type { Treasury } from "../treasury.ts";
import { amountDue } from "../unapplied/amount-due.ts";
import { lockBillsOf } from "../unapplied/unapplied.store.ts";

export type CheckoutRequest = {
	/** As the caller read it. */
	intent: StoredIntent;
	/** Undefined: the customer's of the intent. */
	email: string | undefined;
	/** Undefined: every channel of the intent. */
	channels: readonly CardChannel[] | undefined;
	/** The phone that pays by mobile money, and the gateway's code of its provider. */
	mobileMoney: { phone: string; provider: string } | undefined;
	/** The person or program that asks. */
	requestedBy: string;
};

/** A checkout that waits for its payer; `isNew`: this request opened it. */
export type StartedCheckout = { attempt: Attempt; isNew: boolean };

/** A payer seldom comes back later; what is paid later is still counted. */
const checkoutMs = 24 * 3_600_000;
/** A request to the gateway ends within its time limit, or the process has ended. */
const openingMs = 20_000;

/**
 * Opens a hosted checkout for what an intent still needs, or returns the one that waits already. The
 * attempt is stored before the gateway is called, and its answer afterwards: an answer that never comes
 * leaves it to be found out. Throws `intent_not_found`, `intent_closed`, `email_required`,
 * `phone_invalid`,
 * `channel_unavailable`, `checkout_starting`, `halted`, `gateway_refused` and `gateway_unavailable`.
 */
export async function startCheckout(domain: Treasury, request: CheckoutRequest): Promise<StartedCheckout> {
	const { db, now, settings, gateways } = domain;
	const { intent: found } = request;
	const { tenantId, id: intentId, payee } = found;
	const email = request.email ?? found.customer.email;
	if (email === undefined) throw paymentFailures.email_required({ fields: { field: "email", in: "body" } });
	const mobileMoney = readMobileMoney(request);
	const channels = channelsOf(found, request);
	const gateway = await gateways.requireCardGateway();
	const prepared = await retryConflicts(() =>
		inTenant(db, tenantId, (tx) => prepare(tx, { tenantId, intentId, payee, now: now() })),
	);
	if (prepared === undefined) throw paymentFailures.intent_closed();
	const { intent, attempt, isNew } = prepared;
	if (!isNew) return { attempt, isNew };
	const answer = await initializeTransaction(gateway, {
		...{ amountMinor: attempt.amountMinor, currency: intent.currency, email, channels },
		...{ reference: attempt.reference, callbackUrl: cardCallbackUrl(settings) },
		...(mobileMoney !== undefined && { mobileMoney }),
		metadata: {
			...{ tenant_id: tenantId, source_service: intent.sourceService },
			order_id: intent.orderId ?? intent.operationId,
		},
	});
	const answered = { attempt, payee, answer, requestedBy: request.requestedBy };
	const applied = await recordAnswer(domain, answered);
	requireAccepted(answer);
	return { attempt: applied, isNew };
}

/** Throws `phone_invalid`. */
function readMobileMoney({ mobileMoney }: CheckoutRequest): CheckoutRequest["mobileMoney"] {
	if (mobileMoney === undefined) return undefined;
	const phone = readPhone(mobileMoney.phone);
	if (phone === undefined)
		throw paymentFailures.phone_invalid({ fields: { field: "mobile_money.phone", in: "body" } });
	return { ...mobileMoney, phone };
}

/** Throws `channel_unavailable` if the intent admits none of them, or not mobile money for a phone. */
function channelsOf(
	intent: StoredIntent,
	{ channels: asked = cardChannels, mobileMoney }: CheckoutRequest,
): CardChannel[] {
	const channels = asked.filter((channel) => intent.channels.includes(channel));
	const isLacking = mobileMoney !== undefined && !channels.includes("mobile_money");
	if (channels.length === 0 || isLacking) throw gatewayFailures.channel_unavailable();
	return channels;
}

type Preparing = { tenantId: string; intentId: string; payee: Payee; now: Date };

/** Returns undefined if the tenant's unused money has paid the bill. */
async function prepare(tx: Database, { tenantId, intentId, payee, now }: Preparing) {
	await requireNotHalted(tx, tenantId, "collections");
	if (payee === "platform") await lockBillsOf(tx, tenantId);
	const intent = await lockIntent(tx, intentId);
	if (intent === undefined) throw paymentFailures.intent_not_found();
	if (!isOpen(intent) || intent.expiresAt <= now) throw paymentFailures.intent_closed();
	const unusedMinor = await spendUnused(tx, intent, { source: "request", now });
	if (unusedMinor === undefined) return undefined;
	const amountMinor = await amountDue(tx, intent, unusedMinor);
	const live = await findLive(tx, { intentId, amountMinor, now });
	if (live !== undefined) return { intent, attempt: live, isNew: false };
	const [firstCheck] = ladders.checkout;
	const id = uuidV7(now);
	const attempt = await recordAttempt(tx, {
		...{ tenantId, id, intentId, amountMinor, channel: "checkout", custody: "platform" },
		...{ shortcode: null, phone: null, reference: `pay-${randomUUID().replaceAll("-", "")}`, now },
		nextCheckAt: new Date(now.getTime() + firstCheck * 1000),
		expiresAt: new Date(Math.min(intent.expiresAt.getTime(), now.getTime() + checkoutMs)),
	});
	await enqueueJob(tx, { name: "attempts.query" }, { id, tenantId, afterSeconds: firstCheck });
	return { intent, attempt, isNew: true };
}

type Wanted = { intentId: string; amountMinor: bigint; now: Date };

/** The checkout that waits for this amount. One without an address cannot be paid. */
async function findLive(tx: Database, { intentId, amountMinor, now }: Wanted): Promise<Attempt | undefined> {
	const live = (await listAttempts(tx, [intentId])).filter(
		(one) =>
			one.channel === "checkout" && isLive(one) && one.amountMinor === amountMinor && one.expiresAt > now,
	);
	const ready = live.find(({ authorizationUrl }) => authorizationUrl !== null);
	const openingSince = now.getTime() - openingMs;
	if (ready === undefined && live.some((one) => isOpening(one) && one.createdAt.getTime() > openingSince))
		throw paymentFailures.checkout_starting();
	return ready;
}

const isOpening = ({ status }: Attempt): boolean => status === "submitting";

type Answered = { attempt: Attempt; payee: Payee; answer: Answer<Checkout>; requestedBy: string };

function recordAnswer(
	{ db, now }: Treasury,
	{ attempt, payee, answer, requestedBy }: Answered,
): Promise<Attempt> {
	const { tenantId, id: attemptId, intentId } = attempt;
	const of = { intentId, payee };
	const about = { tenantId, attemptId, of, source: "answer", sourceId: requestedBy } as const;
	return retryConflicts(() =>
		inTenant(db, tenantId, async (tx) => {
			await applyOutcome(tx, { ...about, said: saidBy(answer), at: now() });
			const applied = await findAttempt(tx, attemptId);
			if (applied === undefined) throw chassisFailures.internal();
			return applied;
		}),
	);
}

function saidBy(answer: Answer<Checkout>): Said {
	if (answer.is === "accepted") return { kind: "accepted", ...answer.ids };
	if (answer.is === "refused") return { kind: "rejected", code: answer.code };
	return { kind: "unknown", because: answer.because };
}
