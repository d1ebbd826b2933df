import { outletChanged } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import type { Database } from "@lango/postgres";
import { changeOutletsBehind, makeOutletsBehind } from "./service-state.store.ts";

/**
 * Makes outlets of a tenant and changes each so many times, straight in the sign-on service's database and as
 * it does it itself: the state and its events in one transaction. Faster than people would.
 */
export async function fillOutbox(
	auth: Database,
	{ slug, outlets, changes }: { slug: string; outlets: number; changes: number },
): Promise<void> {
	const ids = await makeOutletsBehind(auth, { slug, count: outlets });
	for (let change = 0; change < changes; change += 1)
		await auth.transaction(async (tx) => {
			for (const outlet of await changeOutletsBehind(tx, ids)) {
				const about = { subject: outlet.outlet_id, tenantId: outlet.tenant_id, tenantSlug: slug };
				await recordEvent(tx, outletChanged, { ...about, now: new Date(), data: outlet });
			}
		});
}
