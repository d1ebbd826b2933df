import type { Database } from "@lango/postgres";
import type { Item } from "./item.ts";

type ItemRow = {
	id: string;
	category: string;
	name: string;
	description: string;
	price_minor: bigint;
	currency: string;
	is_available: boolean;
};

export type ItemPage = {
	/** The last item of the previous page. */
	after: string | undefined;
	category: string | undefined;
	limit: number;
};

/** Lists items by category and name. Call it inside a tenant or across tenants. */
export async function listItems(db: Database, { after, category, limit }: ItemPage): Promise<Item[]> {
	const rows = await db.query<ItemRow>(
		`select id, category, name, description, price_minor, currency, is_available
		   from catalog_items
		  where ($1::uuid is null
		         or (category, name, id) > (select c.category, c.name, c.id from catalog_items c where c.id = $1))
		    and ($2::text is null or category = $2)
		  order by category, name, id
		  limit $3`,
		[after ?? null, category ?? null, limit],
	);
	return rows.map(fromRow);
}

/** Lists the items on sale: available, and priced in the tenant's current currency. */
export async function listSoldItems(db: Database, { after, category, limit }: ItemPage): Promise<Item[]> {
	const rows = await db.query<ItemRow>(
		`select i.id, i.category, i.name, i.description, i.price_minor, i.currency, i.is_available
		   from catalog_items i join tenants t on t.id = i.tenant_id and t.currency = i.currency
		  where i.is_available
		    and ($1::uuid is null
		         or (i.category, i.name, i.id) > (select c.category, c.name, c.id from catalog_items c where c.id = $1))
		    and ($2::text is null or i.category = $2)
		  order by i.category, i.name, i.id
		  limit $3`,
		[after ?? null, category ?? null, limit],
	);
	return rows.map(fromRow);
}

/** Returns those of these items that are on sale. */
export async function findSoldItems(db: Database, ids: readonly string[]): Promise<Item[]> {
	const rows = await db.query<ItemRow>(
		`select i.id, i.category, i.name, i.description, i.price_minor, i.currency, i.is_available
		   from catalog_items i join tenants t on t.id = i.tenant_id and t.currency = i.currency
		  where i.is_available and i.id = any ($1)`,
		[[...ids]],
	);
	return rows.map(fromRow);
}

export type Category = { name: string; items: number };

/** Lists the categories with items on sale by name, with the number of such items. */
export async function listCategories(
	db: Database,
	{ after, limit }: { after: string; limit: number },
): Promise<Category[]> {
	return db.query<Category>(
		`select i.category as name, count(*)::int as items
		   from catalog_items i join tenants t on t.id = i.tenant_id and t.currency = i.currency
		  where i.is_available and i.category > $1
		  group by i.category order by i.category
		  limit $2`,
		[after, limit],
	);
}

export type NewItem = Omit<Item, "id" | "currency"> & { tenantId: string; now: Date };

/**
 * Adds an item, priced in the tenant's currency. Throws the driver's error on `catalog_items__name_unique`.
 */
export async function recordItem(db: Database, item: NewItem): Promise<Item> {
	const { tenantId, category, name, description, priceMinor, isAvailable, now } = item;
	const [row] = await db.query<ItemRow>(
		`insert into catalog_items (tenant_id, category, name, description, price_minor, currency, is_available, created_at, updated_at)
		 select t.id, $2, $3, $4, $5, t.currency, $6, $7, $7 from tenants t where t.id = $1
		 returning id, category, name, description, price_minor, currency, is_available`,
		[tenantId, category, name, description, priceMinor, isAvailable, now],
	);
	if (row === undefined) throw new Error("the tenant of the transaction is missing");
	return fromRow(row);
}

export type ItemChange = Partial<Omit<Item, "id" | "currency">> & { id: string; now: Date };

/**
 * Changes the given fields of an item; a new price is in the tenant's current currency. Returns undefined if
 * not found.
 */
export async function changeItem(db: Database, change: ItemChange): Promise<Item | undefined> {
	const { id, category = null, name = null, description = null } = change;
	const { priceMinor = null, isAvailable = null, now } = change;
	const [row] = await db.query<ItemRow>(
		`update catalog_items i
		    set category = coalesce($2, i.category), name = coalesce($3, i.name), description = coalesce($4, i.description),
		        price_minor = coalesce($5, i.price_minor), is_available = coalesce($6, i.is_available),
		        currency = case when $5::bigint is null then i.currency else t.currency end, updated_at = $7
		   from tenants t
		  where i.id = $1 and t.id = i.tenant_id
		 returning i.id, i.category, i.name, i.description, i.price_minor, i.currency, i.is_available`,
		[id, category, name, description, priceMinor, isAvailable, now],
	);
	return row && fromRow(row);
}

const fromRow = ({ price_minor: priceMinor, is_available: isAvailable, ...rest }: ItemRow): Item => ({
	...rest,
	priceMinor,
	isAvailable,
});
