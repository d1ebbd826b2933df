import { subscriptionEntitlementsChanged } from "@lango/contracts";
import { defineConsumer } from "@lango/events";
import { tellSubscriptionChanged } from "./subscription-change.store.ts";

/**
 * What a token says of a subscription is asked anew once it changed (spec §6). The event reaches one process of the
 * service; through the database all of them hear of it.
 */
export const entitlementsChanged = defineConsumer(subscriptionEntitlementsChanged, (tx, { data }) =>
	tellSubscriptionChanged(tx, data.tenant_id),
);

/** The tenant whose subscription changed, of a message of the channel `auth_changed`; undefined of any other. */
export function changedSubscriptionOf(message: string): string | undefined {
	return /^subscription:([0-9a-f-]{36})$/.exec(message)?.[1];
}
