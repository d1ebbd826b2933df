import type { Outlet as WireOutlet } from "@lango/contracts";
import type { Database } from "@lango/postgres";

export type Outlet = WireOutlet & { version: number };

export type NewOutletRow = {
	tenantId: string;
	code: string;
	name: string;
	useCase: string;
	isHq: boolean;
	settings: Record<string, unknown>;
};

/** Records an outlet. The database refuses a code the tenant has already (`outlets__code_unique`). */
export async function recordOutlet(tx: Database, outlet: NewOutletRow): Promise<Outlet> {
	const [row] = await tx.query<Outlet>(
		`insert into outlets (tenant_id, code, name, use_case, is_hq, settings) values ($1, $2, $3, $4, $5, $6)
		 returning id, code, name, use_case, is_hq, status, settings, version`,
		[outlet.tenantId, outlet.code, outlet.name, outlet.useCase, outlet.isHq, outlet.settings],
	);
	if (row === undefined) throw new Error("recording an outlet returned no row");
	return row;
}

/** An outlet of a tenant, held against other changes until the transaction ends. */
export async function lockOutlet(
	tx: Database,
	{ tenantId, id }: { tenantId: string; id: string },
): Promise<Outlet | undefined> {
	const [row] = await tx.query<Outlet>(
		`select id, code, name, use_case, is_hq, status, settings, version from outlets
		  where tenant_id = $1 and id = $2 for no key update`,
		[tenantId, id],
	);
	return row;
}

/** A tenant's outlets with all their settings, by name in natural order; archived ones too, at most 500. */
export function listOutlets(tx: Database, tenantId: string): Promise<WireOutlet[]> {
	return tx.query<WireOutlet>(
		`select id, code, name, use_case, is_hq, status, settings from outlets where tenant_id = $1
		  order by name collate natural_order, code limit 500`,
		[tenantId],
	);
}

/** An outlet of a tenant with all its settings. */
export async function findOutlet(
	tx: Database,
	{ tenantId, id }: { tenantId: string; id: string },
): Promise<WireOutlet | undefined> {
	const [row] = await tx.query<WireOutlet>(
		`select id, code, name, use_case, is_hq, status, settings from outlets where tenant_id = $1 and id = $2`,
		[tenantId, id],
	);
	return row;
}

/** Writes everything of an outlet that may change, and counts the change. */
export async function changeOutlet(
	tx: Database,
	{ tenantId, outlet }: { tenantId: string; outlet: Outlet },
): Promise<Outlet> {
	const { id, code, name, use_case, is_hq, status, settings } = outlet;
	const [row] = await tx.query<Outlet>(
		`update outlets set code = $3, name = $4, use_case = $5, is_hq = $6, status = $7, settings = $8, version = version + 1
		  where tenant_id = $1 and id = $2
		 returning id, code, name, use_case, is_hq, status, settings, version`,
		[tenantId, id, code, name, use_case, is_hq, status, settings],
	);
	if (row === undefined) throw new Error("the outlet to change does not exist");
	return row;
}

/** How many outlets a tenant has, archived ones included. The caller has locked the tenant. */
export async function countAllOutlets(tx: Database, tenantId: string): Promise<number> {
	const [row] = await tx.query<{ count: number }>(
		"select count(*)::int as count from outlets where tenant_id = $1",
		[tenantId],
	);
	return row?.count ?? 0;
}
