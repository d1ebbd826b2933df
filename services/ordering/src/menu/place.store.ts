import type { Database } from "@lango/postgres";

/** A place where a tenant sells. */
export type Cafe = { id: string; code: string; name: string; useCase: string };

/** What outlets that sell to people who come in are for. */
const selling = ["hospitality", "quick_service", "retail"];

/** Outlets of the tenant at hand that sell and are in use, by code. */
export async function listCafes(
	db: Database,
	{ after, limit }: { after: string | undefined; limit: number },
): Promise<Cafe[]> {
	const rows = await db.query<{ id: string; code: string; name: string; use_case: string }>(
		`select id, code, name, use_case from outlets
		  where status <> 'archived' and use_case = any ($1)
		    and ($2::uuid is null or (code, id) > (select o.code, o.id from outlets o where o.id = $2))
		  order by code, id limit $3`,
		[selling, after ?? null, limit],
	);
	return rows.map(({ use_case: useCase, ...rest }) => ({ ...rest, useCase }));
}
