import type { Database } from "@lango/postgres";
import type { Sealed } from "@lango/tokens";
import type { Channel } from "../channel.ts";
import type { OlderSeal, SealedPlace } from "./sealed-place.ts";

/** Rows under an older key, by table. */
export type Found = Readonly<Record<string, number>>;

/** How far the values under older keys are encrypted again under the newest one. */
export type Renewal = {
	/** Up to this tenant the current pass is done; undefined: it has not begun. */
	after: string | undefined;
	foundSoFar: Found;
	/**
	 * What the last complete pass found, and when it ended. Undefined if another key became the newest since.
	 */
	found: Found | undefined;
	passedAt: Date | undefined;
	/** Whether this pass found nothing, as the second one or a later one. */
	isFinished: boolean;
};

/** Returns how far the renewal for this newest key is, and begins it if there is none. */
export async function ensureRenewal(db: Database, keyId: string, now: Date): Promise<Renewal> {
	await db.query(
		`insert into key_renewals (key_id, first_seen_at) values ($1, $2)
		 on conflict on constraint key_renewals__pkey do nothing`,
		[keyId, now],
	);
	const renewal = await findRenewal(db, keyId);
	if (renewal === undefined) throw new Error("the renewal was not recorded");
	return renewal;
}

/** Returns how far the renewal for this newest key is; undefined if it has not begun. */
export async function findRenewal(db: Database, keyId: string): Promise<Renewal | undefined> {
	const [row] = await db.query<{
		after_tenant: string | null;
		found_so_far: Found;
		found: Found | null;
		passed_at: Date | null;
		is_finished: boolean;
	}>(
		`select r.after_tenant, r.found_so_far, p.found, p.passed_at, p.finished_at is not null as is_finished
		   from key_renewals r
		   left join key_renewals p on p.key_id = r.key_id and not exists (
		     select from key_renewals o where o.key_id <> r.key_id and o.first_seen_at > p.passed_at)
		  where r.key_id = $1`,
		[keyId],
	);
	return (
		row && {
			after: row.after_tenant ?? undefined,
			foundSoFar: row.found_so_far,
			found: row.found ?? undefined,
			passedAt: row.passed_at ?? undefined,
			isFinished: row.is_finished,
		}
	);
}

/** Records that the current pass is done up to a tenant. */
export async function recordPosition(
	db: Database,
	{ keyId, after, foundSoFar }: { keyId: string; after: string | undefined; foundSoFar: Found },
): Promise<void> {
	await db.query("update key_renewals set after_tenant = $2, found_so_far = $3 where key_id = $1", [
		keyId,
		after ?? null,
		JSON.stringify(foundSoFar),
	]);
}

/** Records that a pass is complete, and that the renewal is finished if `isFinished`. */
export async function recordPass(
	db: Database,
	{ keyId, found, isFinished, now }: { keyId: string; found: Found; isFinished: boolean; now: Date },
): Promise<void> {
	await db.query(
		`update key_renewals set after_tenant = null, found_so_far = '{}', found = $2, passed_at = $3::timestamptz,
		        finished_at = case when $4 then $3::timestamptz end
		  where key_id = $1`,
		[keyId, JSON.stringify(found), now, isFinished],
	);
}

/** Lists ids of tenants, in their order. */
export async function listTenantIds(
	db: Database,
	{ after, limit }: { after: string | undefined; limit: number },
): Promise<string[]> {
	const rows = await db.query<{ id: string }>(
		"select id from tenants where ($1::uuid is null or id > $1) order by id limit $2",
		[after ?? null, limit],
	);
	return rows.map(({ id }) => id);
}

type Listing = { newest: string; after: string; limit: number };
type OfTenant = { tenantId: string };
type Row = { id: string; key_id: string; sealed: Buffer; channel: Channel | null };

const fromRow = ({ id, key_id, sealed, channel }: Row): OlderSeal => ({
	...{ id, channel },
	value: { keyId: key_id, sealed },
});

/**
 * Lists values of a place under another key than the newest, in the order of their ids. Call it inside the
 * tenant.
 */
export async function listOlderSeals(
	tx: Database,
	{ table, id, keyId, sealed, address }: SealedPlace,
	{ tenantId, newest, after, limit }: Listing & OfTenant,
): Promise<OlderSeal[]> {
	const rows = await tx.query<Row>(
		`select ${id} as id, ${keyId} as key_id, ${sealed} as sealed, ${address?.channel ?? "null"} as channel from ${table}
		  where tenant_id = $4 and ${sealed} is not null and ${keyId} <> $1 and ${id} > $2 order by ${id} limit $3`,
		[newest, after, limit, tenantId],
	);
	return rows.map(fromRow);
}

/** A value that was encrypted again, and what it was before. */
export type Replacement = { id: string; was: Buffer; renewed: Sealed & { addressKey?: Buffer } };

const toJson = (replacements: readonly Replacement[]) =>
	JSON.stringify(
		replacements.map(({ id, was, renewed: { keyId, sealed, addressKey } }) => ({
			...{ id, was: was.toString("hex"), key_id: keyId, sealed: sealed.toString("hex") },
			address_key: addressKey?.toString("hex"),
		})),
	);

/** Replaces values of a place, unless they were changed meanwhile. Call it inside the tenant. */
export async function replaceSeals(
	tx: Database,
	{ table, id, keyId, sealed, address }: SealedPlace,
	{ tenantId, replacements }: OfTenant & { replacements: readonly Replacement[] },
): Promise<void> {
	const addressKey = address === undefined ? "" : `, ${address.key} = decode(r.address_key, 'hex')`;
	await tx.query(
		`update ${table} t set ${keyId} = r.key_id, ${sealed} = decode(r.sealed, 'hex')${addressKey}
		   from jsonb_to_recordset($1) as r (id uuid, was text, key_id text, sealed text, address_key text)
		  where t.tenant_id = $2 and t.${id} = r.id and t.${sealed} = decode(r.was, 'hex')`,
		[toJson(replacements), tenantId],
	);
}

/** Lists credentials of providers of the platform and of every tenant under another key than the newest. */
export async function listOlderCredentials(
	db: Database,
	{ newest, after, limit }: Listing,
): Promise<OlderSeal[]> {
	const rows = await db.query<Row>(
		"select id, key_id, sealed, null as channel from list_older_credentials($1, $2, $3)",
		[newest, after, limit],
	);
	return rows.map(fromRow);
}

/** Replaces credentials of providers, unless they were changed meanwhile. */
export async function replaceCredentials(db: Database, replacements: readonly Replacement[]): Promise<void> {
	await db.query("select replace_credentials($1)", [toJson(replacements)]);
}

/**
 * Counts suppressions of every tenant that are found by another key than the newest. They keep it, because
 * the address itself is not stored.
 */
export async function countOlderSuppressions(
	db: Database,
	{ newest, now }: { newest: string; now: Date },
): Promise<number> {
	const [row] = await db.query<{ n: number }>("select count_older_suppressions($1, $2)::integer as n", [
		newest,
		now,
	]);
	return row?.n ?? 0;
}
