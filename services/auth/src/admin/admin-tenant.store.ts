import { type Place, pageOf } from "@lango/chassis";
import type { AdminTenant } from "@lango/contracts";
import type { Database } from "@lango/postgres";
import { placeOf } from "../paging/place-of.ts";
import type { Tenant } from "../tenants/tenant.store.ts";

/** A tenant in the platform owner's view. */
export function toAdminTenant({ version: _, created_at, ...tenant }: Tenant): AdminTenant {
	return { ...tenant, created_at: created_at.toISOString() };
}

type Row = Omit<AdminTenant, "branding" | "created_at"> & {
	created_at: Date;
	logo_url: string | null;
	colour: string | null;
	place_at: string;
	place_id: string;
};

export type AskedTenants = {
	/** Undefined: all tenants that are not erased. */
	status: string | undefined;
	/** The beginning of the slug. */
	slug: string | undefined;
	/** A part of the slug or the name; case is ignored. */
	search: string | undefined;
	after: Place | undefined;
	limit: number;
};

/** A page of all tenants, in the order of their creation. */
export async function listTenants(db: Database, { status, slug, search, after, limit }: AskedTenants) {
	const rows = await db.query<Row>(
		`select id, slug, name, status, use_case, org_size, logo_url, colour, time_zone, currency, locale, join_policy, outlet_isolation,
		   created_at,
		   (extract(epoch from created_at) * 1000000)::bigint::text as place_at, id as place_id
		   from tenants
		  where case when $1::text is null then status <> 'deleted' else status = $1 end
		    and ($2::text is null or starts_with(slug, $2))
		    and ($3::bigint is null or (created_at, id) > (timestamptz 'epoch' + $3::bigint * interval '1 microsecond', $4::uuid))
		    and ($5::text is null or strpos(lower(slug || ' ' || name), lower($5)) > 0)
		  order by created_at, id limit $6`,
		[status ?? null, slug ?? null, after?.[0] ?? null, after?.[1] ?? null, search ?? null, limit + 1],
	);
	return pageOf(rows, { limit, placeOf, toWire });
}

const toWire = ({
	place_at: _,
	place_id: __,
	logo_url,
	colour,
	created_at,
	...tenant
}: Row): AdminTenant => ({
	...tenant,
	branding: { logo_url, colour },
	created_at: created_at.toISOString(),
});

/**
 * Removes the tenant's unused authorization codes, so that a suspended tenant gets no new session. Call it
 * inside the tenant.
 */
export async function removeTenantCodes(tx: Database, tenantId: string): Promise<void> {
	await tx.query("delete from authorization_codes where tenant_id = $1", [tenantId]);
}

/** A batch of the people whose memberships are removed next. Call it inside the tenant. */
export async function listSomeMembers(
	tx: Database,
	{ tenantId, limit }: { tenantId: string; limit: number },
): Promise<string[]> {
	const rows = await tx.query<{ user_id: string }>(
		"select user_id from memberships where tenant_id = $1 order by user_id limit $2",
		[tenantId, limit],
	);
	return rows.map(({ user_id }) => user_id);
}

/** Removes these people's memberships. Call it inside the tenant. */
export async function removeMemberships(
	tx: Database,
	{ tenantId, userIds }: { tenantId: string; userIds: readonly string[] },
): Promise<void> {
	await tx.query("delete from memberships where tenant_id = $1 and user_id = any ($2::uuid[])", [
		tenantId,
		userIds,
	]);
}

/**
 * Removes a batch of each kind of row of an erased tenant; returns the number of removed rows. Call it
 * inside the tenant.
 */
export async function removeTenantRows(
	tx: Database,
	{ tenantId, limit }: { tenantId: string; limit: number },
): Promise<number> {
	const rows = await tx.query<{ count: number }>(
		`with codes as (
		   delete from authorization_codes where tenant_id = $1 and code_hash in
		     (select code_hash from authorization_codes where tenant_id = $1 limit $2) returning 1
		 ), tokens as (
		   delete from one_time_tokens where tenant_id = $1 and token_hash in
		     (select token_hash from one_time_tokens where tenant_id = $1 limit $2) returning 1
		 ), gone as (
		   delete from sessions where tenant_id = $1 and id in (select id from sessions where tenant_id = $1 limit $2) returning 1
		 ), invited as (
		   delete from invitations where tenant_id = $1 and id in (select id from invitations where tenant_id = $1 limit $2) returning 1
		 ), logos as (
		   delete from tenant_logos where tenant_id = $1 returning 1
		 )
		 select ((select count(*) from codes) + (select count(*) from tokens) + (select count(*) from gone)
		   + (select count(*) from invited) + (select count(*) from logos))::int as count`,
		[tenantId, limit],
	);
	return rows[0]?.count ?? 0;
}

/** Removes a tenant's outlets, at most 500. No other row may refer to them. Call it inside the tenant. */
export async function removeTenantOutlets(tx: Database, tenantId: string): Promise<void> {
	await tx.query("delete from outlets where tenant_id = $1", [tenantId]);
}

/** Erased tenants with remaining rows because the erasure was interrupted, at most `limit`. */
export async function listHalfErased(db: Database, limit: number): Promise<string[]> {
	const rows = await db.query<{ id: string }>("select id from list_half_erased($1) as id", [limit]);
	return rows.map(({ id }) => id);
}
