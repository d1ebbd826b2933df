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

/** Whether the tenant at hand has this outlet in use. */
export async function hasOutlet(db: Database, id: string): Promise<boolean> {
	const rows = await db.query("select from outlets where id = $1 and status <> 'archived'", [id]);
	return rows.length > 0;
}

/** Settings told to anybody, by key: their keys begin with `public.`. What the tenant set, else the platform's default. */
export async function listPublicSettings(
	db: Database,
	{ after, limit }: { after: string; limit: number },
): Promise<Array<{ key: string; value: unknown }>> {
	return db.query<{ key: string; value: unknown }>(
		`select distinct on (key) key, value from service_config
		  where key like 'public.%' and key > $1 order by key, tenant_id nulls last limit $2`,
		[after, limit],
	);
}
