import { type Database, inTenant } from "@lango/postgres";
import { ensureTenant } from "@lango/tenancy";
import { recordDemoItem } from "./demo.store.ts";

/** The menu of Kahawa Café, with prices in Kenyan cents. */
const menu = [
	{ category: "Coffee", name: "Espresso", description: "A single, of beans from Nyeri", priceMinor: 18_000n },
	{ category: "Coffee", name: "Cappuccino", description: "With steamed milk", priceMinor: 28_000n },
	{
		category: "Coffee",
		name: "Kahawa chungu",
		description: "Strong and black, with ginger",
		priceMinor: 8_000n,
	},
	{ category: "Tea", name: "Chai ya maziwa", description: "Tea boiled with milk", priceMinor: 12_000n },
	{ category: "Bakery", name: "Mandazi", description: "Two pieces, warm", priceMinor: 6_000n },
];

/** Adds a small menu to the demo café (development only). Existing items are not changed. */
export async function seedDemoMenu(
	db: Database,
	{ tenants, now }: { tenants: ReadonlyArray<{ slug: string; id: string }>; now: Date },
): Promise<void> {
	const cafe = tenants.find(({ slug }) => slug === "kahawa");
	if (cafe === undefined) return;
	await ensureTenant(db, cafe.id);
	await inTenant(db, cafe.id, async (tx) => {
		for (const item of menu) await recordDemoItem(tx, { ...item, tenantId: cafe.id, currency: "KES", now });
	});
}
