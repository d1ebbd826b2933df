import { inTenant } from "@lango/postgres";
import { announceChange } from "../record/announce.ts";
import type { ChangeParts } from "../record/change-subscription.ts";
import { lockSubscription } from "../record/subscription.store.ts";
import { timeFor } from "../record/tenant-time.ts";
import { findBundleAnnouncement, listTenantsOn, raiseVersion, recordAnnounced } from "./bundle.store.ts";

const batchSize = 200;

/**
 * Announces a changed bundle to every tenant on it: raises the version and publishes the whole snapshot.
 * Works through tenants in batches ordered by id, each tenant in its own transaction, and stores its
 * progress. If it is interrupted, a tenant may receive the same snapshot again with a higher version.
 */
export async function announceBundleChanges(
	changing: ChangeParts,
	{ signal, tenantsMax = batchSize }: { signal: AbortSignal; tenantsMax?: number },
): Promise<void> {
	while (!signal.aborted) {
		const untold = await findBundleAnnouncement(changing.db);
		if (untold === undefined) return;
		const tenants = await listTenantsOn(changing.db, { ...untold, max: tenantsMax });
		for (const tenantId of tenants) {
			await announceTo(changing, tenantId);
			await recordAnnounced(changing.db, { ...untold, until: tenantId });
		}
		if (tenants.length === 0) await recordAnnounced(changing.db, { ...untold, until: undefined });
	}
}

async function announceTo({ db, clock }: ChangeParts, tenantId: string): Promise<void> {
	await inTenant(db, tenantId, async (tx) => {
		const locked = await lockSubscription(tx, { tenantId });
		if (locked === undefined) return;
		const now = await timeFor(tx, tenantId, clock);
		const subscription = { ...locked, version: await raiseVersion(tx, tenantId), operations: [] };
		const about = {
			announcements: [],
			hasChanged: true,
			now,
			announcedAt: clock.now(),
			correlationId: undefined,
		};
		await announceChange(tx, subscription, about);
	});
}
