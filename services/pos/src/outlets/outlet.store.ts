import { type Database, type OutletFilter, withinOutlets } from "@lango/postgres";

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

/**
 * Outlets in use within these outlets, in the order of their ids. Call it inside a tenant, or across them.
 */
export async function listOutlets(
	tx: Database,
	{ after, outlets, limit }: { after: string | undefined; outlets: OutletFilter; limit: number },
): Promise<Outlet[]> {
	const rows = await tx.query<OutletRow>(
		`select id, tenant_id, code, name, use_case, is_hq from outlets
		  where status <> 'archived' and ($1::uuid is null or id > $1) and ${withinOutlets("id", "$2")} order by id limit $3`,
		[after ?? null, outlets, limit],
	);
	return rows.map(({ tenant_id: tenantId, use_case: useCase, is_hq: isHq, ...row }) => ({
		...row,
		tenantId,
		useCase,
		isHq,
	}));
}

/** Returns an active outlet of the transaction's tenant, undefined if not found. */
export async function findOutlet(tx: Database, id: string): Promise<Outlet | undefined> {
	const [outlet] = await listOutlets(tx, { after: undefined, outlets: [id], limit: 1 });
	return outlet;
}
