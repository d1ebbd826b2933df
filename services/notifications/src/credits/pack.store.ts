import type { Place } from "@lango/chassis";
import type { Database } from "@lango/postgres";

/** A pack of SMS segments that tenants can buy. */
export type CreditPack = {
	code: string;
	segments: number;
	priceMinor: number;
	currency: string;
	isOnSale: boolean;
};

type Row = { code: string; segments: string; price_minor: string; currency: string; is_on_sale: boolean };

/** Lists packs, the smallest first; those on sale, or all. `after` is the segments and the code of a pack. */
export async function listPacks(
	db: Database,
	{ isAll, after, limit }: { isAll: boolean; after: Place | undefined; limit: number },
): Promise<CreditPack[]> {
	const rows = await db.query<Row>(
		`select code, segments, price_minor, currency, is_on_sale from credit_packs
		  where (is_on_sale or $1) and ($2::bigint is null or (segments, code) > ($2, $3))
		  order by segments, code limit $4`,
		[isAll, after?.[0] ?? null, after?.[1] ?? null, limit],
	);
	return rows.map(fromRow);
}

/** Returns a pack that is on sale; undefined if not found. */
export async function findPack(db: Database, code: string): Promise<CreditPack | undefined> {
	const [row] = await db.query<Row>(
		"select code, segments, price_minor, currency, is_on_sale from credit_packs where code = $1 and is_on_sale",
		[code],
	);
	return row && fromRow(row);
}

/** Adds a pack. Returns whether its code was free. */
export async function addPack(
	db: Database,
	{ code, segments, priceMinor, currency, isOnSale }: CreditPack,
	now: Date,
): Promise<boolean> {
	const rows = await db.query(
		`insert into credit_packs (code, segments, price_minor, currency, is_on_sale, updated_at)
		 values ($1, $2, $3, $4, $5, $6)
		 on conflict on constraint credit_packs__pkey do nothing returning code`,
		[code, segments, priceMinor, currency, isOnSale, now],
	);
	return rows.length > 0;
}

/** Changes a pack. Purchases that were requested before keep their price. Returns whether it exists. */
export async function changePack(
	db: Database,
	{ code, segments, priceMinor, currency, isOnSale }: CreditPack,
	now: Date,
): Promise<boolean> {
	const rows = await db.query(
		`update credit_packs
		    set segments = $2, price_minor = $3, currency = $4, is_on_sale = $5, updated_at = $6
		  where code = $1 returning code`,
		[code, segments, priceMinor, currency, isOnSale, now],
	);
	return rows.length > 0;
}

function fromRow(row: Row): CreditPack {
	return {
		code: row.code,
		segments: Number(row.segments),
		priceMinor: Number(row.price_minor),
		currency: row.currency,
		isOnSale: row.is_on_sale,
	};
}
