import { inTenant } from "@lango/postgres";
import { type Changing, changeLocked } from "./change-subscription.ts";
import { listDueTenants } from "./due.store.ts";
import { lockSubscription } from "./held.store.ts";

export type Materialising = {
	now: Date;
	/** Tenants in one pass, at most. */
	limit: number;
	onError: (error: unknown, tenantId: string) => void;
};

/**
 * Lets happen, and tells of, what has fallen due of all tenants; returns of how many. What stands is derived whenever it
 * is read, so a pass that is late gives nothing away. On several replicas at once, each tenant is taken by one of them. A
 * tenant that fails is told of and tried again in the next pass, and holds nobody up.
 */
export async function materialise(
	changing: Changing,
	{ now, limit, onError }: Materialising,
): Promise<number> {
	const tenantIds = await listDueTenants(changing.db, { now, limit });
	let done = 0;
	for (const tenantId of tenantIds) {
		try {
			if (await materialiseOne(changing, { tenantId, now })) done += 1;
		} catch (error) {
			onError(error, tenantId);
		}
	}
	return done;
}

async function materialiseOne(
	changing: Changing,
	{ tenantId, now }: { tenantId: string; now: Date },
): Promise<boolean> {
	return inTenant(changing.db, tenantId, async (tx) => {
		const locked = await lockSubscription(tx, { tenantId, skipsLocked: true });
		if (locked === undefined) return false;
		const at = notBefore(now, changing);
		await changeLocked(changing, { tenantId, tx, locked, now: at }, async (held) => ({
			held,
			tells: [],
			result: undefined,
		}));
		return true;
	});
}

/** A pass takes its time: others may have done meanwhile what fell due after it began, and it is not undone. */
export const notBefore = (began: Date, { clock }: Pick<Changing, "clock">): Date =>
	new Date(Math.max(began.getTime(), clock.now().getTime()));
