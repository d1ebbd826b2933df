import { outletChanged } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import type { Database } from "@lango/postgres";
import type { Origin } from "../audit/origin.ts";
import type { Outlet } from "./outlet.store.ts";

type Announcing = {
	tenant: { id: string; slug: string };
	outlet: Outlet;
	origin: Pick<Origin, "now"> & Partial<Origin>;
};

/** Publishes the state of an outlet; call it in the transaction of the change. */
export async function announceOutlet(tx: Database, { tenant, outlet, origin }: Announcing): Promise<void> {
	const { id, ...data } = outlet;
	await recordEvent(tx, outletChanged, {
		subject: id,
		tenantId: tenant.id,
		tenantSlug: tenant.slug,
		correlationId: origin.requestId,
		now: origin.now,
		data: { ...data, outlet_id: id, tenant_id: tenant.id },
	});
}
