import { type Database, type OutletFilter, ofTenant, withinOutlets } from "@lango/postgres";
import type { ListPage } from "../outlets/outlet.store.ts";

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
	const [used] = await tx.query<{ terminals: number }>(
		"select count(*)::integer as terminals from terminals where tenant_id = $1 and revoked_at is null",
		[tenantId],
	);
	if (used === undefined || used.terminals >= terminalsMax) return undefined;
	const [row] = await tx.query<TerminalRow>(
		`insert into terminals (tenant_id, outlet_id, name, token_hash, created_by, created_at)
		 values ($1, $2, $3, $4, $5, $6)
		 returning id, tenant_id, outlet_id, name, created_at, revoked_at`,
		[tenantId, outletId, name, tokenHash, createdBy, now],
	);
	return row && fromRow(row);
}

/** Lists the tills of these outlets in the order of their ids. Call it inside a tenant or across tenants. */
export async function listTerminals(
	tx: Database,
	{ tenantId, after, outlets, limit }: ListPage,
): Promise<Terminal[]> {
	const rows = await tx.query<TerminalRow>(
		`select id, tenant_id, outlet_id, name, created_at, revoked_at from terminals
		  where ($1::uuid is null or id > $1) and ${withinOutlets("outlet_id", "$2")}
		    and ${ofTenant(tenantId, "tenant_id", "$4")}
		  order by id limit $3`,
		[after ?? null, outlets, limit, tenantId ?? null],
	);
	return rows.map(fromRow);
}

/**
 * Revokes a till of these outlets. Returns undefined if not found; `isNew` is false if it was revoked before.
 */
export async function revokeTerminal(
	tx: Database,
	{ tenantId, id, outlets, now }: { tenantId: string; id: string; outlets: OutletFilter; now: Date },
): Promise<{ isNew: boolean; name: string } | undefined> {
	const [found] = await tx.query<{ name: string; revoked_at: Date | null }>(
		`select name, revoked_at from terminals
		  where tenant_id = $1 and id = $2 and ${withinOutlets("outlet_id", "$3")} for update`,
		[tenantId, id, outlets],
	);
	if (found === undefined) return undefined;
	const isNew = found.revoked_at === null;
	if (isNew)
		await tx.query("update terminals set revoked_at = $3 where tenant_id = $1 and id = $2", [
			tenantId,
			id,
			now,
		]);
	return { isNew, name: found.name };
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
