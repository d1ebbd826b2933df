import type { Database } from "@lango/postgres";
import type { Channel } from "../channel.ts";
import type { Category } from "../template.ts";

/** Why an address gets nothing. */
export const suppressionReasons = ["bounce", "complaint", "unsubscribe", "invalid", "manual"] as const;
export type SuppressionReason = (typeof suppressionReasons)[number];

/** An address that gets nothing, or nothing of a category. */
export type Suppression = {
	id: string;
	/** Whether it counts for every tenant. */
	isPlatform: boolean;
	channel: Channel;
	masked: string;
	category: Category | null;
	reason: SuppressionReason;
	expiresAt: Date | null;
	createdBy: string | null;
	createdAt: Date;
	/** Microseconds since 1970: the place in the list. */
	place: string;
};

type Row = {
	id: string;
	is_platform: boolean;
	channel: Channel;
	address_masked: string;
	category: Category | null;
	reason: SuppressionReason;
	expires_at: Date | null;
	created_by: string | null;
	created_at: Date;
	place: string;
};

const place = "(extract(epoch from created_at) * 1000000)::bigint::text as place";
const columns = "id, channel, address_masked, category, reason, expires_at, created_by, created_at";

const fromRow = (row: Row): Suppression => ({
	...{ id: row.id, isPlatform: row.is_platform, channel: row.channel, masked: row.address_masked },
	...{ category: row.category, reason: row.reason, expiresAt: row.expires_at },
	...{ createdBy: row.created_by, createdAt: row.created_at, place: row.place },
});

type Listing = {
	tenantId: string;
	/** Whether suppressions of every tenant are listed, too: only in `acrossTenants`. */
	withPlatform: boolean;
	channel: Channel | undefined;
	after: readonly [string, string] | undefined;
	limit: number;
	now: Date;
};

/** Lists the tenant's suppressions that have not expired, the newest first. Call it inside the tenant. */
export async function listSuppressions(tx: Database, listing: Listing): Promise<Suppression[]> {
	const { tenantId, withPlatform, channel, after, limit, now } = listing;
	const rows = await tx.query<Row>(
		`select *, ${place}
		   from (select false as is_platform, ${columns} from suppressions where tenant_id = $1
		         union all
		         select true, ${columns} from platform_suppressions where $2) s
		  where ($3::text is null or channel = $3) and (expires_at is null or expires_at > $4)
		    and ($5::bigint is null or (created_at, id) < (timestamptz 'epoch' + $5 * interval '1 microsecond', $6::uuid))
		  order by created_at desc, id desc limit $7`,
		[tenantId, withPlatform, channel ?? null, now, after?.[0] ?? null, after?.[1] ?? null, limit],
	);
	return rows.map(fromRow);
}

type OfAddress = { tenantId: string; channel: Channel; keys: readonly Buffer[]; now: Date };

/**
 * Lists the suppressions of an address, the newest first: the tenant's, and those of every tenant. Call it
 * inside the tenant.
 */
export async function findSuppressions(tx: Database, of: OfAddress): Promise<Suppression[]> {
	const found = [...(await findOwnSuppressions(tx, of)), ...(await findPlatformSuppressions(tx, of))];
	return found.toSorted(
		(left, right) => right.createdAt.getTime() - left.createdAt.getTime() || (left.id < right.id ? 1 : -1),
	);
}

/** Lists the tenant's suppressions of an address. Call it inside the tenant. */
export async function findOwnSuppressions(tx: Database, of: OfAddress): Promise<Suppression[]> {
	const { tenantId, channel, keys, now } = of;
	const rows = await tx.query<Row>(
		`select false as is_platform, ${columns}, ${place} from suppressions
		  where tenant_id = $1 and channel = $2 and address_key = any ($3) and (expires_at is null or expires_at > $4)`,
		[tenantId, channel, [...keys], now],
	);
	return rows.map(fromRow);
}

/** Lists the suppressions of an address that count for every tenant, without their origin. */
export async function findPlatformSuppressions(
	db: Database,
	{ channel, keys, now }: Omit<OfAddress, "tenantId">,
): Promise<Suppression[]> {
	const rows = await db.query<Row>(
		`select true as is_platform, null as created_by, *, ${place} from find_platform_suppressions($1, $2, $3)`,
		[channel, [...keys], now],
	);
	return rows.map(fromRow);
}

/** A suppression to be recorded. Without a tenant it counts for every tenant. */
export type NewSuppression = {
	tenantId: string | undefined;
	channel: Channel;
	keyId: string;
	key: Buffer;
	masked: string;
	category: Category | undefined;
	reason: SuppressionReason;
	createdBy: string | undefined;
	now: Date;
};

/**
 * Records a suppression, which does not expire; it takes the place of one that does. Returns its id;
 * undefined if there is one that does not expire. Call it inside the tenant; without a tenant only for the
 * platform owner.
 */
export async function recordSuppression(tx: Database, made: NewSuppression): Promise<string | undefined> {
	const { tenantId, channel, keyId, key, masked, reason, now } = made;
	const [category, createdBy] = [made.category ?? null, made.createdBy ?? null];
	if (tenantId === undefined) {
		const suppression = { channel, key_id: keyId, key: key.toString("hex"), masked, category, reason };
		const [row] = await tx.query<{ id: string }>("select id from add_platform_suppression($1, $2)", [
			JSON.stringify({ ...suppression, created_by: createdBy }),
			now,
		]);
		return row?.id;
	}
	const [row] = await tx.query<{ id: string }>(
		`insert into suppressions as s (tenant_id, channel, address_key_id, address_key, address_masked, category, reason,
		   created_by, created_at)
		 values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
		 on conflict on constraint suppressions__address_unique do update
		    set reason = excluded.reason, expires_at = null, created_by = excluded.created_by, created_at = excluded.created_at
		  where s.expires_at is not null
		 returning s.id`,
		[tenantId, channel, keyId, key, masked, category, reason, createdBy, now],
	);
	return row?.id;
}

/**
 * Lifts a suppression of the tenant unless `isKept` says that it must stay. Returns what it was; undefined if
 * the tenant has none with this id. Call it inside the tenant.
 */
export async function liftSuppression(
	tx: Database,
	{ tenantId, id, kept }: { tenantId: string; id: string; kept: readonly SuppressionReason[] },
): Promise<{ isLifted: boolean; channel: Channel; reason: SuppressionReason } | undefined> {
	const [row] = await tx.query<{ is_lifted: boolean; channel: Channel; reason: SuppressionReason }>(
		`with found as (
		   select id, channel, reason, reason = any ($3) and expires_at is null as is_kept
		     from suppressions where tenant_id = $1 and id = $2 for update
		 ), lifted as (
		   delete from suppressions s using found f where s.tenant_id = $1 and s.id = f.id and not f.is_kept returning s.id
		 )
		 select not is_kept as is_lifted, channel, reason from found`,
		[tenantId, id, [...kept]],
	);
	return row && { isLifted: row.is_lifted, channel: row.channel, reason: row.reason };
}

/** Whether a suppression counts for every tenant. */
export async function isPlatformSuppression(db: Database, id: string): Promise<boolean> {
	const [row] = await db.query<{ found: boolean }>("select is_platform_suppression($1) as found", [id]);
	return row?.found ?? false;
}

/**
 * Lifts a suppression that counts for every tenant. Returns whether it existed. Only for the platform owner.
 */
export async function liftPlatformSuppression(db: Database, id: string): Promise<boolean> {
	const [row] = await db.query<{ lifted: boolean }>("select lift_platform_suppression($1) as lifted", [id]);
	return row?.lifted ?? false;
}
