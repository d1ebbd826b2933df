/** A process that gives a tenant a shortcode of the sandbox, for the bench of the treasury. */
import { openPool } from "@lango/postgres";
import { testTenant } from "@lango/testkit";
import type { ShopPlace } from "../../../../bench/treasury/calling.ts";
import { changeProfile } from "../../src/gateways/profiles/profile.store.ts";
import { admitShortcodes } from "../till.ts";

async function open({ databaseUrl, tenantId, mobileMoneyUrl }: ShopPlace): Promise<void> {
	const db = openPool({ url: databaseUrl, name: "bench", sizeMax: 2 });
	const [kahawa, duka, lango] = ["kahawa", "duka", "other"].map((slug) => testTenant(slug));
	const tenants = { uhai: { ...testTenant("uhai"), id: tenantId }, kahawa, duka, lango };
	const stand = { database: { db }, tenants, subscriptions: { records: new Map() } };
	try {
		await admitShortcodes(stand as never, mobileMoneyUrl);
		const settings = { per_second: 10_000 };
		const change = { environment: "sandbox" as const, baseUrl: mobileMoneyUrl, settings };
		await changeProfile(db, "mobile_money", { change, now: new Date() });
	} finally {
		await db.close();
	}
}

process.on("message", async (place: ShopPlace) => {
	try {
		await open(place);
		process.send?.({});
	} catch (error) {
		process.send?.({ error: error instanceof Error ? error.message : String(error) });
	}
});
process.on("disconnect", () => process.exit(0));
