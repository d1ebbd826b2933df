import type { EventType } from "@lango/contracts";
import { type NewEvent, recordEvent } from "@lango/events";
import type { Database } from "@lango/postgres";
import type { Static, TSchema } from "typebox";
import { findSlug } from "./tenant-calendar.store.ts";

/**
 * Records an event about a tenant with the tenant's slug. Call it in the tenant's transaction. Throws as
 * `recordEvent` does.
 */
export async function recordTenantEvent<S extends TSchema>(
	tx: Database,
	eventType: EventType<S>,
	event: NewEvent<Static<S>> & { tenantId: string },
): Promise<string> {
	return recordEvent(tx, eventType, { ...event, tenantSlug: await findSlug(tx, event.tenantId) });
}
