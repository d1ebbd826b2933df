import { enqueueJob } from "@lango/jobs";
import { type Database, inTenant } from "@lango/postgres";
import { type KeyEncryptionKeys, seal } from "@lango/tokens";
import type { DeliveryEnd } from "../inbox/delivery.store.ts";
import type { CardSubscriptionEvent } from "../inbox/reading.ts";
import { findLocator } from "../payments/locator.store.ts";
import { findSubscriptionOf, lockSubscription, type StoredSubscription } from "./card-subscription.store.ts";
import { emailTokenContext } from "./card-subscription.ts";
import { changeSubscription } from "./change-subscription.ts";

/** The job that publishes that a card expires, by its name. */
const expiringJob = { name: "card-subscriptions.warn" } as const;

const about = { trust: "signature", eventKey: undefined } as const;
const done: DeliveryEnd = { ...about, status: "done", because: undefined };
const parked = (because: string): DeliveryEnd => ({ ...about, status: "parked", because });
const foreign = parked("the event came from an address that is not on the list");
const notKnown = parked("the card subscription is not known");

type Applied = {
	/** Its address is not on the list: a person has to look. */
	isHint: boolean;
	event: CardSubscriptionEvent;
	keys: KeyEncryptionKeys;
	now: Date;
};

/**
 * Applies an event about a card subscription or its invoice. It is found by its code, or, until that is
 * known, by its plan and payer.
 */
export async function applySubscriptionEvent(tx: Database, applied: Applied): Promise<DeliveryEnd> {
	const { event, isHint } = applied;
	if (isHint) return foreign;
	const known = await findLocator(tx, "card_subscription", event.subscriptionCode);
	const found = known ?? (await findLocator(tx, "card_plan", event.planCode ?? ""));
	if (found === undefined) return notKnown;
	return inTenant(tx, found.tenantId, async (inside) => {
		const id = known?.objectId ?? (await findOf(inside, found.objectId, event));
		const one = id === undefined ? undefined : await lockSubscription(inside, id);
		if (one === undefined) return notKnown;
		await change(inside, one, applied);
		return done;
	});
}

const findOf = async (tx: Database, planId: string, { customerCode }: CardSubscriptionEvent) =>
	customerCode === undefined ? undefined : findSubscriptionOf(tx, { planId, customerCode });

async function change(tx: Database, one: StoredSubscription, { event, keys, now }: Applied): Promise<void> {
	const { subscriptionCode, emailToken, nextPaymentAt, said } = event;
	const isLater = nextPaymentAt !== undefined && nextPaymentAt > (one.nextPaymentAt ?? new Date(0));
	await changeSubscription(tx, one, {
		...{ said, now },
		change: {
			...(one.subscriptionCode === null && { subscriptionCode }),
			...(one.emailToken === null &&
				emailToken !== undefined && { emailToken: seal(keys, emailTokenContext, emailToken) }),
			...(isLater && { nextPaymentAt }),
		},
	});
}

/** Applies an event about cards that expire soon: they are of several tenants, so that each has a job. */
export async function applyExpiring(
	tx: Database,
	{ isHint, subscriptionCodes }: { isHint: boolean; subscriptionCodes: readonly string[] },
): Promise<DeliveryEnd> {
	if (isHint) return foreign;
	for (const code of subscriptionCodes) {
		const found = await findLocator(tx, "card_subscription", code);
		if (found !== undefined)
			await enqueueJob(tx, expiringJob, { id: found.objectId, tenantId: found.tenantId });
	}
	return done;
}
