import { uuidV7 } from "@lango/events";
import { type Database, inTenant } from "@lango/postgres";
import { type KeyEncryptionKeys, type Sealed, seal, unseal } from "@lango/tokens";
import { findAuthorization } from "../card-authorizations/card-authorization.store.ts";
import {
	authorizationContext,
	type CardAuthorization,
	isExpired,
} from "../card-authorizations/card-authorization.ts";
import { findPlan } from "../card-plans/card-plan.store.ts";
import type { Answer } from "../gateways/calls/answer.ts";
import { requireAccepted } from "../gateways/calls/require-accepted.ts";
import { type CardSubscriptionIds, createSubscription } from "../gateways/card-gateway/plans.ts";
import { requireNotHalted } from "../halts/require-not-halted.ts";
import { paymentFailures } from "../payments/failures.ts";
import type { Payee } from "../payments/intent.ts";
import { fingerprintOf } from "../payments/open-intent.ts";
import type { Treasury } from "../treasury.ts";
import {
	findSubscription,
	findSubscriptionByKey,
	lockSubscription,
	recordSubscription,
	removeSubscription,
	type StoredSubscription,
} from "./card-subscription.store.ts";
import { emailTokenContext } from "./card-subscription.ts";
import { changeSubscription } from "./change-subscription.ts";
import { cardSubscriptionFailures } from "./failures.ts";

export type CreateSubscription = {
	tenantId: string;
	payee: Payee;
	/** As it is on the wire. */
	request: { plan_id: string; authorization_id: string };
	/** When the card is charged first; undefined: at once. */
	startAt?: Date | undefined;
	createdBy: { kind: string; id: string };
	idempotencyKey: string | undefined;
	/** Finds one that is used in place of a new one, in the transaction that would record that. */
	reuse?: (tx: Database) => Promise<StoredSubscription | undefined>;
};

type Created = { subscription: StoredSubscription; isNew: boolean };

/**
 * Lets the gateway charge a card by a plan. The subscription is stored before the gateway is called, and
 * its answer afterwards. If the answer does not come, it stays as `creating` until an event or a charge
 * proves that the gateway has it. The same Idempotency-Key returns it as it is now. Throws
 * `idempotency_key_reused`, `card_plan_not_found`, `authorization_missing`, `card_expired`,
 * `card_subscription_exists`, `halted`, `channel_unavailable`, `gateway_refused` and `gateway_unavailable`.
 */
export async function createCardSubscription(
	domain: Treasury,
	creating: CreateSubscription,
): Promise<Created> {
	const { db, now, gateways } = domain;
	const { tenantId } = creating;
	const known = await inTenant(db, tenantId, (tx) => findKnown(tx, creating));
	if (known !== undefined) return { subscription: known, isNew: false };
	await requireNotHalted(db, tenantId, "collections");
	const gateway = await gateways.requireCardGateway();
	const prepared = await inTenant(db, tenantId, (tx) => prepare(tx, creating, domain));
	// The same request was made at the same time.
	if (prepared === undefined) return createCardSubscription(domain, creating);
	if ("reused" in prepared) return { subscription: prepared.reused, isNew: false };
	const { id, ...codes } = prepared;
	const answer = await createSubscription(gateway, { ...codes, startAt: creating.startAt });
	const stored = await inTenant(db, tenantId, (tx) => store(tx, { id, answer, ...domain, now: now() }));
	if (answer.is === "refused") requireAccepted(answer);
	if (stored === undefined) throw new Error(`the card subscription ${id} was removed`);
	return { subscription: stored, isNew: true };
}

async function findKnown(
	tx: Database,
	{ createdBy, idempotencyKey: key, request }: CreateSubscription,
): Promise<StoredSubscription | undefined> {
	const known = key === undefined ? undefined : await findSubscriptionByKey(tx, { createdBy, key });
	if (known !== undefined && !known.fingerprint.equals(fingerprintOf(request)))
		throw paymentFailures.idempotency_key_reused();
	return known;
}

/** Returns undefined if the Idempotency-Key is known meanwhile. */
async function prepare(
	tx: Database,
	creating: CreateSubscription,
	{ now, keys }: Pick<Treasury, "now" | "keys">,
) {
	const { tenantId, payee, request, createdBy, idempotencyKey } = creating;
	const plan = await findPlan(tx, { id: request.plan_id, payee });
	if (plan === undefined || plan.planCode === null) throw cardSubscriptionFailures.card_plan_not_found();
	const card = await requireCard(tx, { id: request.authorization_id, payee, now: now() });
	const reused = await creating.reuse?.(tx);
	if (reused !== undefined) return { reused };
	const [id, { customerCode }] = [uuidV7(now()), card];
	const isNew = await recordSubscription(tx, {
		...{ tenantId, id, payee, planId: plan.id, authorizationId: card.id, customerCode },
		...{ fingerprint: fingerprintOf(request), createdAt: now(), createdBy, idempotencyKey },
	});
	if (isNew) {
		const authorization = unseal(keys, authorizationContext, card.code);
		return { id, plan: plan.planCode, customer: customerCode, authorization };
	}
	if ((await findKnown(tx, creating)) === undefined)
		throw cardSubscriptionFailures.card_subscription_exists();
	return undefined;
}

/**
 * Returns a card that can be charged, with its code. Call it inside the tenant. Throws
 * `authorization_missing` and `card_expired`.
 */
export async function requireCard(
	tx: Database,
	{ now, ...of }: { id: string; payee: Payee; now: Date },
): Promise<CardAuthorization & { code: Sealed }> {
	const card = await findAuthorization(tx, of);
	if (card === undefined) throw cardSubscriptionFailures.authorization_missing();
	if (isExpired(card, now))
		throw cardSubscriptionFailures.card_expired({ fields: { field: "authorization_id", in: "body" } });
	return card;
}

type Answered = {
	id: string;
	answer: Answer<CardSubscriptionIds & { nextPaymentAt?: Date }>;
	keys: KeyEncryptionKeys;
	now: Date;
};

/** One that was not sent, or not taken now, is removed: it can be asked for again with the same key. */
async function store(
	tx: Database,
	{ id, answer, keys, now }: Answered,
): Promise<StoredSubscription | undefined> {
	const locked = await lockSubscription(tx, id);
	if (locked === undefined || answer.is === "unknown") return locked;
	if (answer.is === "accepted") {
		const { subscriptionCode, emailToken, nextPaymentAt = locked.nextPaymentAt } = answer.ids;
		const change = { subscriptionCode, emailToken: seal(keys, emailTokenContext, emailToken), nextPaymentAt };
		return changeSubscription(tx, locked, { said: { kind: "created" }, change, now });
	}
	if (!answer.isRetryable)
		return changeSubscription(tx, locked, { said: { kind: "refused", code: answer.code }, now });
	await removeSubscription(tx, id);
	return findSubscription(tx, id);
}
