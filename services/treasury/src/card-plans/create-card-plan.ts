import { uuidV7 } from "@lango/events";
import { type Database, inTenant } from "@lango/postgres";
import type { Accepted, Refused } from "../gateways/calls/answer.ts";
import { requireAccepted } from "../gateways/calls/require-accepted.ts";
import type { CardGateway } from "../gateways/card-gateway/account.ts";
import { createPlan } from "../gateways/card-gateway/plans.ts";
import type { Frequency } from "../gateways/profiles/profile.ts";
import { paymentFailures } from "../payments/failures.ts";
import type { Payee } from "../payments/intent.ts";
import { fingerprintOf } from "../payments/open-intent.ts";
import type { Treasury } from "../treasury.ts";
import {
	activatePlan,
	failPlan,
	findPlanByKey,
	recordPlan,
	removePlan,
	type StoredPlan,
} from "./card-plan.store.ts";
import { intervalOf } from "./card-plan.ts";

/** A plan that is asked for, as it is on the wire. */
export type PlanRequest = { name: string; interval: Frequency; amount_minor: number; currency: string };

export type CreatePlan = {
	tenantId: string;
	payee: Payee;
	request: PlanRequest;
	createdBy: { kind: string; id: string };
	idempotencyKey: string | undefined;
};

type Created = { plan: StoredPlan; isNew: boolean };

/**
 * Makes a plan at the gateway. It is stored before the gateway is called, and called once: if the answer
 * does not come, the plan stays as `creating`, and another one is made with another key. Nothing is charged
 * by a plan alone. The same Idempotency-Key returns the plan as it is now. Throws
 * `idempotency_key_reused`, `channel_unavailable`, `gateway_refused` and `gateway_unavailable`.
 */
export async function createCardPlan(domain: Treasury, creating: CreatePlan): Promise<Created> {
	const { db, now, gateways } = domain;
	const { tenantId, payee, request, createdBy, idempotencyKey } = creating;
	const known = await inTenant(db, tenantId, (tx) => findKnown(tx, creating));
	if (known !== undefined) return { plan: known, isNew: false };
	const gateway = await gateways.requireCardGateway();
	const plan = await inTenant(db, tenantId, (tx) =>
		recordPlan(tx, {
			...{ tenantId, id: uuidV7(now()), payee, name: request.name, frequency: request.interval },
			...{ amountMinor: BigInt(request.amount_minor), currency: request.currency },
			...{ fingerprint: fingerprintOf(request), createdAt: now(), createdBy, idempotencyKey },
		}),
	);
	// The same request was made at the same time.
	if (plan === undefined) return createCardPlan(domain, creating);
	return { plan: await ask(domain, gateway, plan), isNew: true };
}

async function findKnown(
	tx: Database,
	{ createdBy, idempotencyKey: key, request }: CreatePlan,
): Promise<StoredPlan | undefined> {
	const known = key === undefined ? undefined : await findPlanByKey(tx, { createdBy, key });
	if (known !== undefined && !known.fingerprint.equals(fingerprintOf(request)))
		throw paymentFailures.idempotency_key_reused();
	return known;
}

async function ask({ db }: Treasury, gateway: CardGateway, plan: StoredPlan): Promise<StoredPlan> {
	const { name, frequency, amountMinor, currency } = plan;
	const answer = await createPlan(gateway, { name, interval: intervalOf[frequency], amountMinor, currency });
	if (answer.is === "unknown") return plan;
	const stored = await inTenant(db, plan.tenantId, (tx) => store(tx, plan, answer));
	requireAccepted(answer);
	return stored ?? plan;
}

/** One that was not sent, or not taken now, is removed: it can be asked for again with the same key. */
function store(
	tx: Database,
	plan: StoredPlan,
	answer: Accepted<{ planCode: string }> | Refused,
): Promise<StoredPlan | undefined> {
	if (answer.is === "accepted") return activatePlan(tx, plan, answer.ids.planCode);
	return answer.isRetryable ? removePlan(tx, plan.id) : failPlan(tx, plan.id, answer.code);
}
