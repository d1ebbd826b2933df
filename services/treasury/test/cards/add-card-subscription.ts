import { randomUUID } from "node:crypto";
import type { Database } from "@lango/postgres";
import type { KeyEncryptionKeys } from "@lango/tokens";
import { listAuthorizations } from "../../src/card-authorizations/card-authorization.store.ts";
import { keepCard } from "../../src/card-authorizations/keep-card.ts";
import { activatePlan, recordPlan } from "../../src/card-plans/card-plan.store.ts";
import { recordSubscription } from "../../src/card-subscriptions/card-subscription.store.ts";
import type { Payee } from "../../src/payments/intent.ts";

type Added = { tenantId: string; payee: Payee; keys: KeyEncryptionKeys; now: Date };

/** Adds a card that is charged by a plan, which the gateway has not answered about, and returns its id. */
export async function addCardSubscription(tx: Database, { keys, now, ...of }: Added): Promise<string> {
	const customerCode = `CUS_${randomUUID()}`;
	const made = { createdBy: { kind: "service", id: "test" }, idempotencyKey: undefined, createdAt: now };
	const fingerprint = Buffer.alloc(32);
	const planId = randomUUID();
	const plan = { name: "Lango GROWTH", frequency: "monthly", amountMinor: 60_050n, currency: "KES" } as const;
	await recordPlan(tx, { ...of, ...made, ...plan, id: planId, fingerprint });
	await activatePlan(tx, { tenantId: of.tenantId, id: planId }, `PLN_${planId}`);
	const shown = { brand: "visa", last4: "4081", expMonth: 12, expYear: now.getUTCFullYear() + 5 };
	const card = { ...shown, code: "AUTH_1", customerCode };
	await keepCard(tx, { ...of, userId: null, card, keys, now });
	const [kept] = await listAuthorizations(tx, { payee: of.payee, now });
	const id = randomUUID();
	await recordSubscription(tx, {
		...{ ...of, ...made, id, planId, customerCode, fingerprint, authorizationId: kept?.id ?? "" },
	});
	return id;
}
