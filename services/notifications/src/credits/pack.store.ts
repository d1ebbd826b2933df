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

/** Lists packs in the order of their codes; those on sale, or all. */
export async function listPacks(
	db: Database,
	query: { isAll: boolean; after: string | undefined; limit: number },
): Promise<CreditPack[]> {
	const rows = await db.query<Row>(
		`select code, segments, price_minor, currency, is_on_sale from credit_packs
		  where (is_on_sale or $1) and ($2::text is null or code > $2) order by code limit $3`,
		[query.isAll, query.after ?? null, query.limit],
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

/** Creates or replaces a pack. Top-ups that were requested before keep their price. */
export async function recordPack(
	db: Database,
	{ code, segments, priceMinor, currency, isOnSale }: CreditPack,
	now: Date,
): Promise<void> {
	await db.query(
		`insert into credit_packs (code, segments, price_minor, currency, is_on_sale, updated_at)
		 values ($1, $2, $3, $4, $5, $6)
		 on conflict on constraint credit_packs__pkey do update
		    set segments = excluded.segments, price_minor = excluded.price_minor, currency = excluded.currency,
		        is_on_sale = excluded.is_on_sale, updated_at = excluded.updated_at`,
		[code, segments, priceMinor, currency, isOnSale, now],
	);
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
