import { notificationsLimitReached } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import type { Database } from "@lango/postgres";
import { recordLimitReached } from "./message.store.ts";
import { type DayLimit, dayLimits } from "./refusals.ts";

/** A message that its day has no room for. */
type Reached = { tenantId: string; sendAt: Date; limit: DayLimit; value: number; now: Date };

/**
 * Publishes that a message was skipped or refused because its day is full, once for each limit and day of the
 * tenant. Call it inside the tenant.
 */
export async function publishLimitReached(tx: Database, reached: Reached): Promise<void> {
	const { tenantId, limit, value, now } = reached;
	const day = await recordLimitReached(tx, reached);
	if (day === undefined) return;
	await recordEvent(tx, notificationsLimitReached, {
		...{ subject: tenantId, tenantId, now },
		data: { tenant_id: tenantId, limit: dayLimits[limit], limit_value: value, day },
	});
}
