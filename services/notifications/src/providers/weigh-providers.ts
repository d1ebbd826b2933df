import { notificationsProviderDegraded, notificationsProviderRecovered } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import type { Database } from "@lango/postgres";
import { listHealth, type StoredHealth, storeWeights } from "./health.store.ts";
import { weigh } from "./weight.ts";

/**
 * Weighs the providers of every owner and channel, and publishes which ones fell below their resting weight
 * and which ones are back at it.
 */
export async function weighProviders(db: Database, now: Date): Promise<void> {
	await db.transaction(async (tx) => {
		const pools = Map.groupBy(
			await listHealth(tx, now),
			({ tenantId, channel }) => `${tenantId ?? ""} ${channel}`,
		);
		for (const pool of pools.values()) await weighPool(tx, pool, now);
	});
}

async function weighPool(tx: Database, pool: readonly StoredHealth[], now: Date): Promise<void> {
	const weights = weigh(pool, now);
	const changed = pool.flatMap((one) => {
		const weight = weights.get(one.id);
		return weight === undefined
			? []
			: [{ ...one, weight, wasDegraded: one.isDegraded, isDegraded: weight < one.restingWeight }];
	});
	if (changed.length === 0) return;
	await storeWeights(tx, changed, now);
	for (const one of changed.filter(({ isDegraded, wasDegraded }) => isDegraded !== wasDegraded))
		await publishHealth(tx, one, now);
}

type PublishedHealth = Pick<StoredHealth, "id" | "tenantId" | "channel" | "kind" | "name"> &
	Pick<StoredHealth, "errors" | "sent" | "slow" | "weight" | "isDegraded">;

/** Publishes that a provider is degraded, or has recovered. Call it where that is recorded. */
export async function publishHealth(tx: Database, one: PublishedHealth, now: Date): Promise<void> {
	await recordEvent(tx, one.isDegraded ? notificationsProviderDegraded : notificationsProviderRecovered, {
		subject: one.id,
		...(one.tenantId !== undefined && { tenantId: one.tenantId }),
		now,
		data: {
			provider_id: one.id,
			channel: one.channel,
			kind: one.kind,
			name: one.name,
			errors: one.errors,
			slow_percent: one.sent === 0 ? 0 : Math.round((100 * one.slow) / one.sent),
			weight: one.weight,
			at: now.toISOString(),
		},
	});
}
