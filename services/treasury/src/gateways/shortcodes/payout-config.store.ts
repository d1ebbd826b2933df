import { acrossTenants, currentTenant, type Database } from "@lango/postgres";

/** Where a tenant's payouts go, and when they are asked for (payments text §2.3). */
export type PayoutConfig = {
	recipientId: string | undefined;
	/** Of the recipient, at the gateway. */
	recipientCode: string | undefined;
	schedule: "manual" | "daily" | "weekly";
	minimumMinor: number;
	/** Undefined: the highest of the profile. */
	approvalAboveMinor: number | undefined;
	/** The caller that set it: payouts by schedule are asked for in its name. */
	setBy: { kind: string; id: string } | undefined;
};

type Stored = {
	recipient_id?: string;
	recipient_code?: string;
	schedule?: PayoutConfig["schedule"];
	minimum_minor?: number;
	approval_above_minor?: number;
	set_by?: { kind: string; id: string };
};

/** Returns the payout configuration of the tenant; without one, its defaults. Call it inside the tenant. */
export async function findPayoutConfig(tx: Database): Promise<PayoutConfig> {
	const [row] = await tx.query<{ payout_config: Stored }>(
		"select payout_config from tenant_gateways where tenant_id = $1",
		[currentTenant(tx)],
	);
	const stored = row?.payout_config ?? {};
	return {
		...{ recipientId: stored.recipient_id, recipientCode: stored.recipient_code },
		...{ schedule: stored.schedule ?? "manual", minimumMinor: stored.minimum_minor ?? 0 },
		...{ approvalAboveMinor: stored.approval_above_minor, setBy: stored.set_by },
	};
}

/**
 * Stores the payout configuration of the tenant. A schedule that changes begins with its next period. Call it
 * inside the tenant.
 */
export async function savePayoutConfig(
	tx: Database,
	{ tenantId, config, now }: { tenantId: string; config: PayoutConfig; now: Date },
): Promise<void> {
	const stored: Required<{ [K in keyof Stored]: unknown }> = {
		...{ recipient_id: config.recipientId, recipient_code: config.recipientCode, schedule: config.schedule },
		...{ minimum_minor: config.minimumMinor, approval_above_minor: config.approvalAboveMinor },
		set_by: config.setBy,
	};
	const [tenant] = await tx.query<{ time_zone: string | null }>(
		"select time_zone from tenants where id = $1",
		[tenantId],
	);
	await tx.query(
		`insert into tenant_gateways as g (tenant_id, payout_config, payouts_asked_for, updated_at)
		 values ($1, $2, payout_period($4, $5, $3), $3)
		 on conflict on constraint tenant_gateways__pkey do update
		   set payout_config = excluded.payout_config, version = g.version + 1, updated_at = excluded.updated_at,
		       payouts_asked_for = case when coalesce(g.payout_config->>'schedule', 'manual') = $4 then g.payouts_asked_for
		                                else excluded.payouts_asked_for end`,
		[tenantId, JSON.stringify(stored), now, config.schedule, tenant?.time_zone ?? null],
	);
}

/** Lists tenants whose payouts are due by their schedule. */
export async function listDueSchedules(
	db: Database,
	{ now, after, limit }: { now: Date; after: string | undefined; limit: number },
): Promise<Array<{ id: string; tenantId: string }>> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query<{ tenant_id: string }>(
			`select g.tenant_id from tenant_gateways g join tenants t on t.id = g.tenant_id
			  where g.payout_config->>'schedule' in ('daily', 'weekly') and t.status in ('active', 'unknown')
			    and coalesce(g.payouts_asked_for, '-infinity') < payout_period(g.payout_config->>'schedule', t.time_zone, $1)
			    and ($2::uuid is null or g.tenant_id > $2)
			  order by g.tenant_id limit $3`,
			[now, after ?? null, limit],
		),
	);
	return rows.map(({ tenant_id }) => ({ id: tenant_id, tenantId: tenant_id }));
}

/**
 * Returns the day for which payouts are due by the schedule of the tenant: of a weekly one its Monday.
 * Undefined: none are. Call it inside the tenant.
 */
export async function findDuePeriod(tx: Database, now: Date): Promise<string | undefined> {
	const [row] = await tx.query<{ period: string }>(
		`select payout_period(g.payout_config->>'schedule', t.time_zone, $1)::text as period
		   from tenant_gateways g join tenants t on t.id = g.tenant_id
		  where g.tenant_id = $2 and g.payout_config->>'schedule' in ('daily', 'weekly') and t.status in ('active', 'unknown')
		    and coalesce(g.payouts_asked_for, '-infinity') < payout_period(g.payout_config->>'schedule', t.time_zone, $1)`,
		[now, currentTenant(tx)],
	);
	return row?.period;
}

/** Records the day for which payouts were asked for by the schedule. Call it inside the tenant. */
export async function recordPeriod(tx: Database, period: string): Promise<void> {
	await tx.query("update tenant_gateways set payouts_asked_for = $2 where tenant_id = $1", [
		currentTenant(tx),
		period,
	]);
}
