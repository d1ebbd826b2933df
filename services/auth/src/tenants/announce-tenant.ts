import { tenantCreated, tenantDeleted, tenantSuspended, tenantUpdated } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import type { Database } from "@lango/postgres";
import type { Origin } from "../audit/origin.ts";
import type { Tenant } from "./tenant.store.ts";

type Happened = "created" | "updated" | "suspended" | "deleted";

/** Publishes the state of a tenant; call it in the transaction of the change. */
export async function announceTenant(
	tx: Database,
	tenant: Tenant,
	{
		what,
		origin,
		previousSlug,
	}: { what: Happened; origin: Pick<Origin, "now"> & Partial<Origin>; previousSlug?: string },
): Promise<void> {
	const { id, slug, version } = tenant;
	const about = {
		subject: id,
		tenantId: id,
		tenantSlug: slug,
		correlationId: origin.requestId,
		now: origin.now,
	};
	const brief = { tenant_id: id, slug, version };
	if (what === "suspended") await recordEvent(tx, tenantSuspended, { ...about, data: brief });
	else if (what === "deleted") await recordEvent(tx, tenantDeleted, { ...about, data: brief });
	else {
		const { created_at: _, join_policy: __, id: ___, ...shown } = tenant;
		const data = {
			...shown,
			tenant_id: id,
			...(previousSlug !== undefined && { previous_slug: previousSlug }),
		};
		await recordEvent(tx, what === "created" ? tenantCreated : tenantUpdated, { ...about, data });
	}
}
