import type { Database } from "@lango/postgres";
import type { Channel } from "../channel.ts";
import type { Health } from "./weight.ts";

/** Calls to a provider in one minute. */
export type CallCount = { providerId: string; minute: Date; sent: number; errors: number; slow: number };

/** Adds counts of calls. Counts of providers that were removed meanwhile are dropped. */
export async function addCallCounts(db: Database, counts: readonly CallCount[]): Promise<void> {
	await db.query("select count_provider_calls($1)", [
		JSON.stringify(counts.map(({ providerId, ...rest }) => ({ provider_id: providerId, ...rest }))),
	]);
}

/** A provider with its health, and what identifies the providers that it shares messages with. */
export type StoredHealth = Health & {
	tenantId: string | undefined;
	channel: Channel;
	kind: string;
	name: string;
	isDegraded: boolean;
};

/**
 * Lists the health of the enabled providers that were used lately or are not at rest, and of those beside
 * them.
 */
export async function listHealth(db: Database, now: Date): Promise<StoredHealth[]> {
	const rows = await db.query<{
		id: string;
		tenant_id: string | null;
		channel: Channel;
		kind: string;
		name: string;
		weight: number;
		resting_weight: number;
		weighed_at: Date | null;
		is_degraded: boolean;
		errors: number;
		sent: number;
		slow: number;
		unanswered: number;
	}>(
		`select id, tenant_id, channel, kind, name, weight, resting_weight, weighed_at, is_degraded, errors, sent, slow, unanswered
		   from list_provider_health($1)`,
		[now],
	);
	return rows.map((row) => ({
		id: row.id,
		tenantId: row.tenant_id ?? undefined,
		channel: row.channel,
		kind: row.kind,
		name: row.name,
		weight: row.weight,
		restingWeight: row.resting_weight,
		weighedAt: row.weighed_at ?? undefined,
		isDegraded: row.is_degraded,
		errors: row.errors,
		sent: row.sent,
		slow: row.slow,
		unanswered: row.unanswered,
	}));
}

/** A provider's new weight. */
export type NewWeight = { id: string; weight: number; isDegraded: boolean };

/** Stores new weights. The processes read their accounts again. */
export async function storeWeights(db: Database, weights: readonly NewWeight[], now: Date): Promise<void> {
	await db.query("select store_provider_weights($1, $2)", [
		JSON.stringify(weights.map(({ isDegraded, ...rest }) => ({ ...rest, is_degraded: isDegraded }))),
		now,
	]);
}
