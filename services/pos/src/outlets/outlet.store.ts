import type { Database } from "@lango/postgres";

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

/** Outlets in use in the order of their ids, one alone when it is named. Call it inside a tenant, or across them. */
export async function listOutlets(
	tx: Database,
	{ after, outletId, limit }: { after: string | undefined; outletId: string | undefined; limit: number },
): Promise<Outlet[]> {
	const rows = await tx.query<OutletRow>(
		`select id, tenant_id, code, name, use_case, is_hq from outlets
		  where status <> 'archived' and ($1::uuid is null or id > $1) and ($2::uuid is null or id = $2) order by id limit $3`,
		[after ?? null, outletId ?? null, limit],
	);
	return rows.map(({ tenant_id: tenantId, use_case: useCase, is_hq: isHq, ...row }) => ({
		...row,
		tenantId,
		useCase,
		isHq,
	}));
}

/** An outlet in use of the tenant at hand, undefined when it has none with this id. */
export async function findOutlet(tx: Database, id: string): Promise<Outlet | undefined> {
	const [outlet] = await listOutlets(tx, { after: undefined, outletId: id, limit: 1 });
	return outlet;
}
