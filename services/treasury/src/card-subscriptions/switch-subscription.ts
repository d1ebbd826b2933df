import { inTenant } from "@lango/postgres";
import { unseal } from "@lango/tokens";
import { requireAccepted } from "../gateways/calls/require-accepted.ts";
import {
	type CardSubscriptionIds,
	disableSubscription,
	enableSubscription,
} from "../gateways/card-gateway/plans.ts";
import { requireNotHalted } from "../halts/require-not-halted.ts";
import type { SubscriptionSaid } from "../outcomes/evidence/card-evidence.ts";
import type { Treasury } from "../treasury.ts";
import { lockSubscription, type StoredSubscription } from "./card-subscription.store.ts";
import { canResume, emailTokenContext, isCharging } from "./card-subscription.ts";
import { changeSubscription } from "./change-subscription.ts";
import { cardSubscriptionFailures } from "./failures.ts";

type Switching = Pick<Treasury, "db" | "now" | "keys" | "gateways">;

/**
 * Stops a subscription at the gateway: its card is not charged again. One that is inactive there counts as
 * stopped. Throws `card_subscription_closed`, `card_subscription_pending`, `channel_unavailable`,
 * `gateway_refused` and `gateway_unavailable`: ask again.
 */
export async function stopSubscription(
	domain: Switching,
	one: StoredSubscription,
): Promise<StoredSubscription> {
	if (!isCharging(one)) throw cardSubscriptionFailures.card_subscription_closed();
	const ids = idsOf(domain, one);
	const answer = await disableSubscription(await domain.gateways.requireCardGateway(), ids);
	if (answer.is !== "refused" || answer.code !== "not_found") requireAccepted(answer);
	return say(domain, one, { said: { kind: "not_renewed" }, isStoppedHere: true });
}

/**
 * Lets a stopped subscription charge its card again. Throws `card_subscription_running`,
 * `card_subscription_closed`, `card_subscription_pending`, `halted`, `channel_unavailable`,
 * `gateway_refused` and `gateway_unavailable`: ask again.
 */
export async function resumeSubscription(
	domain: Switching,
	one: StoredSubscription,
): Promise<StoredSubscription> {
	if (isCharging(one)) throw cardSubscriptionFailures.card_subscription_running();
	if (!canResume(one)) throw cardSubscriptionFailures.card_subscription_closed();
	await requireNotHalted(domain.db, one.tenantId, "collections");
	const ids = idsOf(domain, one);
	requireAccepted(await enableSubscription(await domain.gateways.requireCardGateway(), ids));
	return say(domain, one, { said: { kind: "enabled" }, isStoppedHere: false });
}

function idsOf(
	{ keys }: Switching,
	{ subscriptionCode, emailToken }: StoredSubscription,
): CardSubscriptionIds {
	if (subscriptionCode === null || emailToken === null)
		throw cardSubscriptionFailures.card_subscription_pending();
	return { subscriptionCode, emailToken: unseal(keys, emailTokenContext, emailToken) };
}

type Switched = { said: SubscriptionSaid; isStoppedHere: boolean };

const say = (
	{ db, now }: Switching,
	{ tenantId, id }: StoredSubscription,
	{ said, isStoppedHere }: Switched,
) =>
	inTenant(db, tenantId, async (tx) => {
		const locked = await lockSubscription(tx, id);
		if (locked === undefined) throw new Error(`the card subscription ${id} was removed`);
		return changeSubscription(tx, locked, { said, change: { isStoppedHere }, now: now() });
	});
