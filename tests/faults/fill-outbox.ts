import { outletChanged } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import type { Database } from "@lango/postgres";
import { changeOutletBehind, makeOutletsBehind } from "./held.store.ts";

const atOnce = 250;

/**
 * Makes outlets of a tenant and changes each so many times, straight in the sign-on service's database and as it does it itself: the
 * state and its event in one transaction. Faster than people would.
 */
export async function fillOutbox(
	auth: Database,
	{ slug, outlets, changes }: { slug: string; outlets: number; changes: number },
): Promise<void> {
	const ids = await makeOutletsBehind(auth, { slug, count: outlets });
	const all = Array.from({ length: changes }, () => ids).flat();
	for (let from = 0; from < all.length; from += atOnce)
		await auth.transaction(async (tx) => {
			for (const id of all.slice(from, from + atOnce)) {
				const outlet = await changeOutletBehind(tx, id);
				const about = { subject: id, tenantId: outlet.tenant_id, tenantSlug: slug, now: new Date() };
				await recordEvent(tx, outletChanged, { ...about, data: outlet });
			}
		});
}
