import { type Database, type OutletFilter, withinOutlets } from "@lango/postgres";

type Loaf = { id: string; name: string; outlet_id: string | null };

/** Lists the loaves of these outlets by id. Row-level security limits the rows to the tenant. */
export async function listLoaves(
	tx: Database,
	{ outlets, after, limit }: { outlets: OutletFilter; after: string | undefined; limit: number },
): Promise<Loaf[]> {
	return tx.query<Loaf>(
		`select id, name, outlet_id from loaves
		  where ${withinOutlets("outlet_id", "$1")} and ($2::uuid is null or id > $2) order by id limit $3`,
		[outlets, after ?? null, limit],
	);
}

/** Records a loaf. */
export async function recordLoaf(
	tx: Database,
	{ tenantId, outletId, name }: { tenantId: string; outletId: string | undefined; name: string },
): Promise<Loaf> {
	const [loaf] = await tx.query<Loaf>(
		"insert into loaves (tenant_id, outlet_id, name) values ($1, $2, $3) returning id, name, outlet_id",
		[tenantId, outletId ?? null, name],
	);
	if (loaf === undefined) throw new Error("an insert answers its row");
	return loaf;
}

/** Removes a loaf of these outlets. Returns false if not found. */
export async function removeLoaf(tx: Database, id: string, outlets: OutletFilter): Promise<boolean> {
	const sell = `delete from loaves where id = $1 and ${withinOutlets("outlet_id", "$2")} returning id`;
	return (await tx.query(sell, [id, outlets])).length > 0;
}
