import { createCache } from "@lango/memory";
import { type Database, inTenant } from "@lango/postgres";
import { findLetterhead } from "./letterhead.store.ts";

/** What a tenant's messages show of it, and how they format values. */
export type Letterhead = {
	tenantName: string;
	logoUrl?: string;
	colour?: string;
	timeZone: string;
	currency: string;
	locale: string;
	/** The country (ISO 3166-1) of phone numbers without a country code. */
	region: string;
	replyTo: string | undefined;
};

/** The letterheads of tenants, from a cache. */
export type Letterheads = { get(tenantId: string): Promise<Letterhead> };

const sizeMax = 10_000;
/** How long a changed name, zone or setting may be outdated. */
const maxAgeMs = 10_000;
const defaultRegion = "KE";
const regionForm = /^[A-Z]{2}$/;

/** Creates the cache of letterheads of a process. `get` throws an Error if the tenant is not known. */
export function createLetterheads({ db, now }: { db: Database; now: () => Date }): Letterheads {
	const cache = createCache<Letterhead>({ sizeMax, maxAgeMs, now });
	return {
		get: (tenantId) =>
			cache.load(tenantId, async () => {
				const row = await inTenant(db, tenantId, (tx) => findLetterhead(tx, tenantId));
				if (row === undefined) throw new Error(`the tenant ${tenantId} is not known`);
				const { region, reply_to } = row;
				return {
					tenantName: row.name,
					...(row.logo_url !== null && { logoUrl: row.logo_url }),
					...(row.colour !== null && { colour: row.colour }),
					timeZone: row.time_zone,
					currency: row.currency,
					locale: row.locale,
					region: typeof region === "string" && regionForm.test(region) ? region : defaultRegion,
					replyTo: typeof reply_to === "string" ? reply_to : undefined,
				};
			}),
	};
}
