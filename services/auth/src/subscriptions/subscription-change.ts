import { subscriptionEntitlementsChanged } from "@lango/contracts";
import { defineConsumer } from "@lango/events";
import { notifySubscriptionChanged } from "./subscription-change.store.ts";

/**
 * Invalidates the cached subscription of a tenant after a change (spec §6). One process receives the event;
 * a notification of the database reaches the others.
 */
export const entitlementsChanged = defineConsumer(subscriptionEntitlementsChanged, (tx, { data }) =>
	notifySubscriptionChanged(tx, data.tenant_id),
);

/**
 * The tenant in a notification of a changed subscription on the channel `auth_changed`; undefined for any
 * other one.
 */
export function changedSubscriptionOf(message: string): string | undefined {
	return /^subscription:([0-9a-f-]{36})$/.exec(message)?.[1];
}
