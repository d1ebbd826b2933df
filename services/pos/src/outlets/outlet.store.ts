import { type Database, type OutletFilter, ofTenant, withinOutlets } from "@lango/postgres";

/** An outlet as a till needs it. */
export type Outlet = {
	id: string;
	tenantId: string;
	code: string;
	name: string;
	useCase: string;
	isHq: boolean;
};

type OutletRow = {
	id: string;
	tenant_id: string;
	code: string;
	name: string;
	use_case: string;
	is_hq: boolean;
};

/** What a list of this service reads. */
export type ListPage = {
	/** Undefined: all tenants. */
	tenantId: string | undefined;
	after: string | undefined;
	outlets: OutletFilter;
	limit: number;
};

/**
 * Outlets in use within these outlets, in the order of their ids. Call it inside a tenant, or across them.
 */
export async function listOutlets(
	tx: Database,
	{ tenantId, after, outlets, limit }: ListPage,
): Promise<Outlet[]> {
	const rows = await tx.query<OutletRow>(
		`select id, tenant_id, code, name, use_case, is_hq from outlets
		  where status <> 'archived' and ($1::uuid is null or id > $1) and ${withinOutlets("id", "$2")}
		    and ${ofTenant(tenantId, "tenant_id", "$4")}
		  order by id limit $3`,
		[after ?? null, outlets, limit, tenantId ?? null],
	);
	return rows.map(({ tenant_id: tenantId, use_case: useCase, is_hq: isHq, ...row }) => ({
		...row,
		tenantId,
		useCase,
		isHq,
	}));
}

/** Returns an active outlet of a tenant, undefined if not found. Call it inside the tenant. */
export async function findOutlet(
	tx: Database,
	{ tenantId, id }: { tenantId: string; id: string },
): Promise<Outlet | undefined> {
	const [outlet] = await listOutlets(tx, { tenantId, after: undefined, outlets: [id], limit: 1 });
	return outlet;
}
