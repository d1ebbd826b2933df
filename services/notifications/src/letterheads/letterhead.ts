import { createCache } from "@lango/memory";
import { type Database, inTenant } from "@lango/postgres";
import { findLetterhead, type LetterheadRow } from "./letterhead.store.ts";
import { readRegion, readReplyTo } from "./letterhead-settings.ts";

/** What a tenant's messages show of it, and how they format values. */
export type Letterhead = {
	slug: string;
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

type Options = {
	db: Database;
	now: () => Date;
	/** A setting has a value that is not valid, and is ignored. */
	onInvalid?: (about: { tenantId: string; key: string }) => void;
};

/** Creates the cache of letterheads of a process. `get` throws an Error if the tenant is not known. */
export function createLetterheads({ db, now, onInvalid }: Options): Letterheads {
	const cache = createCache<Letterhead>({ sizeMax, maxAgeMs, now });
	return {
		get: (tenantId) =>
			cache.load(tenantId, async () => {
				const row = await inTenant(db, tenantId, (tx) => findLetterhead(tx, tenantId));
				if (row === undefined) throw new Error(`the tenant ${tenantId} is not known`);
				return {
					...readSettings(row, (key) => onInvalid?.({ tenantId, key })),
					slug: row.slug,
					tenantName: row.name,
					...(row.logo_url !== null && { logoUrl: row.logo_url }),
					...(row.colour !== null && { colour: row.colour }),
					timeZone: row.time_zone,
					currency: row.currency,
					locale: row.locale,
				};
			}),
	};
}

function readSettings(
	row: Pick<LetterheadRow, "region" | "reply_to">,
	onInvalid: (key: string) => void,
): Pick<Letterhead, "region" | "replyTo"> {
	const [region, replyTo] = [readRegion(row.region), readReplyTo(row.reply_to)];
	if (row.region !== null && region === undefined) onInvalid("phone.region");
	if (row.reply_to !== null && replyTo === undefined) onInvalid("mail.reply_to");
	return { region: region ?? defaultRegion, replyTo };
}
