import type { Database } from "@lango/postgres";

/** An outlet that sells to walk-in customers. */
export type Cafe = { id: string; code: string; name: string; useCase: string };

/** The use cases of outlets that sell to walk-in customers. */
const selling = ["hospitality", "quick_service", "retail"];

/** Lists the active outlets that sell to walk-in customers, by code. Call it inside the tenant. */
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
