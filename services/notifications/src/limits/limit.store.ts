import type { Database } from "@lango/postgres";
import type { Channel } from "../channel.ts";

/** Recipients per minute, and at once. */
export type Rate = { perMinute: number; burst: number };

/** The limit of a channel. */
export type Limit = {
	channel: Channel;
	/** What is in force. */
	rate: Rate;
	/** The most that the tenant may choose. */
	ceiling: Rate;
	isPlatform: boolean;
	/** Whether the platform owner gave the tenant a ceiling of its own. */
	hasOwnCeiling: boolean;
};

const platformLimits = `
	select p.channel, p.per_minute, p.burst, p.per_minute as ceiling_per_minute, p.burst as ceiling_burst,
	       true as is_platform, false as has_ceiling
	  from platform_limits p order by p.channel`;

const tenantLimits = `
	select p.channel, coalesce(l.per_minute, p.per_minute) as per_minute, coalesce(l.burst, p.burst) as burst,
	       coalesce(l.ceiling_per_minute, p.per_minute) as ceiling_per_minute,
	       coalesce(l.ceiling_burst, p.burst) as ceiling_burst, l.channel is null as is_platform,
	       l.ceiling_per_minute is not null as has_ceiling
	  from platform_limits p left join limits l on l.tenant_id = $1 and l.channel = p.channel
	 order by p.channel`;

/**
 * Lists the tenant's limits by channel, locked if `lock`; `ofPlatform`: the defaults. Call it inside the
 * tenant.
 */
export async function listLimits(
	tx: Database,
	{ tenantId, ofPlatform, lock = false }: { tenantId: string; ofPlatform: boolean; lock?: boolean },
): Promise<Limit[]> {
	if (lock) await tx.query("select pg_advisory_xact_lock(hashtextextended('limits ' || $1, 0))", [tenantId]);
	const rows = await tx.query<{
		channel: Channel;
		per_minute: number;
		burst: number;
		ceiling_per_minute: number;
		ceiling_burst: number;
		is_platform: boolean;
		has_ceiling: boolean;
	}>(ofPlatform ? platformLimits : tenantLimits, ofPlatform ? [] : [tenantId]);
	return rows.map((row) => ({
		channel: row.channel,
		rate: { perMinute: row.per_minute, burst: row.burst },
		ceiling: { perMinute: row.ceiling_per_minute, burst: row.ceiling_burst },
		isPlatform: row.is_platform,
		hasOwnCeiling: row.has_ceiling,
	}));
}

type LimitChange = { tenantId: string; channel: Channel; rate: Rate; by: string; now: Date };

/**
 * Sets a limit of the tenant. `withCeiling`: by the platform owner, and the tenant may choose up to it. Call
 * it inside the tenant.
 */
export async function recordLimit(
	tx: Database,
	{ tenantId, channel, rate, by, now, withCeiling }: LimitChange & { withCeiling: boolean },
): Promise<void> {
	await tx.query(
		`insert into limits as l (tenant_id, channel, per_minute, burst, set_by, set_at, ceiling_per_minute, ceiling_burst)
		 values ($1, $2, $3, $4, $5, $6, case when $7 then $3::integer end, case when $7 then $4::integer end)
		 on conflict on constraint limits__pkey do update
		    set per_minute = excluded.per_minute, burst = excluded.burst, set_by = excluded.set_by, set_at = excluded.set_at,
		        ceiling_per_minute = coalesce(excluded.ceiling_per_minute, l.ceiling_per_minute),
		        ceiling_burst = coalesce(excluded.ceiling_burst, l.ceiling_burst)`,
		[tenantId, channel, rate.perMinute, rate.burst, by, now, withCeiling],
	);
}

/** Removes the tenant's own limit and ceiling of a channel. Call it inside the tenant. */
export async function removeLimit(
	tx: Database,
	{ tenantId, channel }: { tenantId: string; channel: Channel },
): Promise<void> {
	await tx.query("delete from limits where tenant_id = $1 and channel = $2", [tenantId, channel]);
}

/**
 * Sets the platform's default of a channel. Call `lowerLimits` after the commit. Only for the platform owner.
 */
export async function recordPlatformLimit(
	db: Database,
	{ channel, rate, by, now }: Omit<LimitChange, "tenantId">,
): Promise<void> {
	await db.query("select set_platform_limit($1, $2, $3, $4, $5)", [
		...[channel, rate.perMinute, rate.burst, by, now],
	]);
}

/**
 * Lowers the limits of tenants that chose more to the platform's defaults, except where the platform owner
 * gave the tenant a ceiling. Idempotent.
 */
export async function lowerLimits(db: Database): Promise<void> {
	await db.query("select lower_limits()");
}
