import { type Database, type OutletFilter, withinOutlets } from "@lango/postgres";

/** A till. */
export type Terminal = {
	id: string;
	tenantId: string;
	outletId: string;
	name: string;
	createdAt: Date;
	revokedAt: Date | null;
};

type TerminalRow = {
	id: string;
	tenant_id: string;
	outlet_id: string;
	name: string;
	created_at: Date;
	revoked_at: Date | null;
};

export type NewTerminal = {
	tenantId: string;
	outletId: string;
	name: string;
	tokenHash: Buffer;
	createdBy: string;
	now: Date;
	terminalsMax: number;
};

/**
 * Records a till. Returns undefined if the tenant has `terminalsMax` tills that are not revoked. Call it
 * inside the tenant.
 */
export async function recordTerminal(tx: Database, terminal: NewTerminal): Promise<Terminal | undefined> {
	const { tenantId, outletId, name, tokenHash, createdBy, now, terminalsMax } = terminal;
	await tx.query("select pg_advisory_xact_lock(hashtext('terminals'), hashtext($1))", [tenantId]);
	const [row] = await tx.query<TerminalRow>(
		`insert into terminals (tenant_id, outlet_id, name, token_hash, created_by, created_at)
		 select $1, $2, $3, $4, $5, $6
		  where (select count(*) from terminals where tenant_id = $1 and revoked_at is null) < $7
		 returning id, tenant_id, outlet_id, name, created_at, revoked_at`,
		[tenantId, outletId, name, tokenHash, createdBy, now, terminalsMax],
	);
	return row && fromRow(row);
}

/** Lists the tills of these outlets in the order of their ids. Call it inside a tenant or across tenants. */
export async function listTerminals(
	tx: Database,
	{ after, outlets, limit }: { after: string | undefined; outlets: OutletFilter; limit: number },
): Promise<Terminal[]> {
	const rows = await tx.query<TerminalRow>(
		`select id, tenant_id, outlet_id, name, created_at, revoked_at from terminals
		  where ($1::uuid is null or id > $1) and ${withinOutlets("outlet_id", "$2")} order by id limit $3`,
		[after ?? null, outlets, limit],
	);
	return rows.map(fromRow);
}

/**
 * Revokes a till of these outlets. Returns undefined if not found; `isNew` is false if it was revoked before.
 */
export async function revokeTerminal(
	tx: Database,
	{ id, outlets, now }: { id: string; outlets: OutletFilter; now: Date },
): Promise<{ isNew: boolean; name: string } | undefined> {
	const [row] = await tx.query<{ name: string; is_new: boolean }>(
		`update terminals t set revoked_at = coalesce(t.revoked_at, $3)
		   from (select id, revoked_at from terminals where id = $1 for update) as before
		  where t.id = before.id and ${withinOutlets("t.outlet_id", "$2")}
		 returning t.name, before.revoked_at is null as is_new`,
		[id, outlets, now],
	);
	return row && { isNew: row.is_new, name: row.name };
}

/** Returns a till that is not revoked by the hash of its token, in any tenant. */
export async function findTerminal(
	db: Database,
	tokenHash: Buffer,
): Promise<{ id: string; tenantId: string; outletId: string } | undefined> {
	const [row] = await db.query<{ id: string; tenant_id: string; outlet_id: string }>(
		"select id, tenant_id, outlet_id from find_terminal($1)",
		[tokenHash],
	);
	return row && { id: row.id, tenantId: row.tenant_id, outletId: row.outlet_id };
}

function fromRow({ tenant_id, outlet_id, created_at, revoked_at, ...row }: TerminalRow): Terminal {
	return { ...row, tenantId: tenant_id, outletId: outlet_id, createdAt: created_at, revokedAt: revoked_at };
}
