import type { Database } from "@lango/postgres";
import type { Version } from "./version.ts";

/**
 * Whether a version is newer than the applied one; if so, records it. Events of one subject are applied in
 * sequence, so two calls never race.
 */
export async function advanceVersion(
	db: Database,
	{ family, subject, tenant, version }: Version,
	{ consumer, now }: { consumer: string; now: Date },
): Promise<boolean> {
	const [row] = await db.query<{ isNewer: boolean }>(
		`with newest as (
		   select coalesce(max(version), 0) as version from applied_versions
		    where consumer = $1 and family = $2 and subject = $3 and tenant in ($4, '')),
		 noted as (
		   insert into applied_versions (consumer, family, subject, tenant, version, applied_at)
		   select $1, $2, $3, $4, $5::bigint, $6::timestamptz from newest where newest.version <= $5::bigint
		   on conflict on constraint applied_versions__pkey
		   do update set version = excluded.version, applied_at = excluded.applied_at
		   returning 1)
		 select exists (select from noted) as "isNewer"`,
		[consumer, family, subject, tenant, version, now],
	);
	return row?.isNewer === true;
}

/** Removes at most `limit` inbox entries of events last seen before a time. Returns their number. */
export async function removeNotes(
	db: Database,
	{ before, limit }: { before: Date; limit: number },
): Promise<number> {
	const rows = await db.query(
		`delete from inbox where (event_id, consumer) in (
		   select event_id, consumer from inbox where seen_at < $1 order by seen_at limit $2 for update skip locked)
		 returning 1`,
		[before, limit],
	);
	return rows.length;
}

/** Removes at most `limit` versions recorded before a time. Returns their number. */
export async function removeVersions(
	db: Database,
	{ before, limit }: { before: Date; limit: number },
): Promise<number> {
	const rows = await db.query(
		`delete from applied_versions where (consumer, family, subject, tenant) in (
		   select consumer, family, subject, tenant from applied_versions
		    where applied_at < $1 order by applied_at limit $2 for update skip locked)
		 returning 1`,
		[before, limit],
	);
	return rows.length;
}

/**
 * Removes at most `limit` inbox entries of events created since a time, so that they can be applied again.
 * Returns their number.
 */
export async function forgetNotes(
	db: Database,
	{ consumer, firstId, limit }: { consumer: string; firstId: string; limit: number },
): Promise<number> {
	const rows = await db.query(
		`delete from inbox where (event_id, consumer) in (
		   select event_id, consumer from inbox where consumer = $1 and event_id >= $2::uuid limit $3)
		 returning 1`,
		[consumer, firstId, limit],
	);
	return rows.length;
}

/** Removes every version that a consumer has applied. */
export async function forgetVersions(db: Database, consumer: string): Promise<void> {
	await db.query("delete from applied_versions where consumer = $1", [consumer]);
}
