import type { Database } from "@lango/postgres";

export type DemoItem = {
	tenantId: string;
	category: string;
	name: string;
	description: string;
	priceMinor: bigint;
	currency: string;
	now: Date;
};

/** Adds an item unless the category has an item of that name. */
export async function recordDemoItem(tx: Database, item: DemoItem): Promise<void> {
	const { tenantId, category, name, description, priceMinor, currency, now } = item;
	await tx.query(
		`insert into catalog_items (tenant_id, category, name, description, price_minor, currency, is_available, created_at, updated_at)
		 values ($1, $2, $3, $4, $5, $6, true, $7, $7)
		 on conflict on constraint catalog_items__name_unique do nothing`,
		[tenantId, category, name, description, priceMinor, currency, now],
	);
}
