import { authUserUpdated } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import type { Database } from "@lango/postgres";
import type { Origin } from "../audit/origin.ts";
import { bumpUser } from "./user-version.store.ts";

/**
 * Tells how a person stands now: in one tenant, or in each of theirs when what changed is the person. Counts the
 * change; call it after the change, in its transaction.
 */
export async function announceUser(
	tx: Database,
	{ userId, tenantId, origin }: { userId: string; tenantId?: string; origin: Origin },
): Promise<void> {
	for (const { tenant, ...data } of await bumpUser(tx, { userId, tenantId }))
		await recordEvent(tx, authUserUpdated, {
			subject: userId,
			tenantId: tenant.id,
			tenantSlug: tenant.slug,
			correlationId: origin.requestId,
			now: origin.now,
			data,
		});
}
