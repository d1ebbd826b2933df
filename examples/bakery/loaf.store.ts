import type { Database } from "@lango/postgres";

type Loaf = { id: string; name: string; outlet_id: string | null };

/** Loaves by id, of one outlet or all. The tenant is that of the transaction: row-level security shows no other's. */
export async function listLoaves(
	tx: Database,
	{ outletId, after, limit }: { outletId: string | undefined; after: string | undefined; limit: number },
): Promise<Loaf[]> {
	return tx.query<Loaf>(
		`select id, name, outlet_id from loaves
		  where ($1::uuid is null or outlet_id = $1) and ($2::uuid is null or id > $2) order by id limit $3`,
		[outletId ?? null, after ?? null, limit],
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

/** Removes a loaf, of that outlet when one is named; false when there is none. */
export async function removeLoaf(tx: Database, id: string, outletId: string | undefined): Promise<boolean> {
	const sell = "delete from loaves where id = $1 and ($2::uuid is null or outlet_id = $2) returning id";
	return (await tx.query(sell, [id, outletId ?? null])).length > 0;
}
