import { treasuryCardExpiring } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import { defineJob, defineRecoveryScan, tenantIdOf } from "@lango/jobs";
import { type Database, inTenant } from "@lango/postgres";
import { expiryOf } from "../card-authorizations/card-authorization.ts";
import type { Treasury } from "../treasury.ts";
import { findSubscription, listUnanswered, lockSubscription } from "./card-subscription.store.ts";
import { changeSubscription } from "./change-subscription.ts";

/** Publishes that the card of a subscription expires soon. */
export const publishExpiring = defineJob<Treasury>({
	name: "card-subscriptions.warn",
	work: ({ db, now }, job) => inTenant(db, tenantIdOf(job), (tx) => recordExpiring(tx, job.id, now())),
});

async function recordExpiring(tx: Database, id: string, now: Date): Promise<void> {
	const one = await findSubscription(tx, id);
	// The person of the card was deleted.
	if (one === undefined || one.card === null) return;
	const { tenantId, authorizationId, card, payee } = one;
	await recordEvent(tx, treasuryCardExpiring, {
		...{ subject: authorizationId, tenantId, now },
		data: {
			...{ authorization_id: authorizationId, tenant_id: tenantId, brand: card.brand, last4: card.last4 },
			...{ expires_on: expiryOf(card), payee },
		},
	});
}

/** The code of a subscription of which the gateway sent no event in all the time in which it repeats them. */
const noAnswer = "no_answer";

/** Ends a subscription that the gateway seems not to have. A later event or charge makes it active. */
export const endUnanswered = defineJob<Treasury>({
	name: "card-subscriptions.fail",
	work: ({ db, now }, job) =>
		inTenant(db, tenantIdOf(job), async (tx) => {
			const one = await lockSubscription(tx, job.id);
			const said = { kind: "refused", code: noAnswer } as const;
			if (one !== undefined) await changeSubscription(tx, one, { said, now: now() });
		}),
});

/** The gateway repeats an event for three days. */
const repeatedMs = 4 * 86_400_000;

/** Finds subscriptions whose answer was lost, and of which no event came. */
export const findUnansweredSubscriptions = defineRecoveryScan<Treasury>({
	job: endUnanswered,
	everySeconds: 3_600,
	find: ({ db }, { now, after, limit }) =>
		listUnanswered(db, { before: new Date(now.getTime() - repeatedMs), after, limit }),
});
