import type { BillingInterval } from "@lango/contracts";
import type { Database } from "@lango/postgres";

/** The version on offer: the newest that is not retired. */
export type Offer = { version: number; priceMinor: bigint; currency: string; interval: BillingInterval };

/** A plan as the platform owner sees it, on offer or not. */
export type AdminPlan = {
	code: string;
	name: string;
	position: number;
	/** Number of versions ever created. */
	versions: number;
	offered: Offer | undefined;
};

type OfferRow = {
	code: string;
	name: string;
	versions: number;
	version: number | null;
	price_minor: bigint | null;
	currency: string | null;
	billing_interval: BillingInterval | null;
};

/** All plans after a position, including those without a version or not on offer. */
export async function listAdminPlans(
	db: Database,
	{ after, max }: { after: number; max: number },
): Promise<AdminPlan[]> {
	const rows = await db.query<OfferRow & { position: number }>(
		`select p.code, p.name, p.position, o.version, o.price_minor, o.currency, o.billing_interval,
		        (select count(*)::int from plan_versions v where v.plan_code = p.code) as versions
		   from plans p
		   left join lateral (
		     select v.version, v.price_minor, v.currency, v.billing_interval
		       from plan_versions v
		      where v.plan_code = p.code and p.retired_at is null
		        and not exists (select from plan_version_retirements r where r.plan_version_id = v.id)
		      order by v.version desc limit 1) o on true
		  where p.position > $1
		  order by p.position
		  limit $2`,
		[after, max],
	);
	return rows.map(({ code, name, position, versions, ...offer }) => ({
		code,
		name,
		position,
		versions,
		offered: readOffer(offer),
	}));
}

/** An add-on as the platform owner sees it, on offer or not. */
export type AdminAddOn = Omit<AdminPlan, "position">;

/** All add-ons after a code, ordered by code, including those without a version or not on offer. */
export async function listAdminAddOns(
	db: Database,
	{ after, max }: { after: string; max: number },
): Promise<AdminAddOn[]> {
	const rows = await db.query<OfferRow>(
		`select a.code, a.name, o.version, o.price_minor, o.currency, o.billing_interval,
		        (select count(*)::int from add_on_versions v where v.add_on_code = a.code) as versions
		   from add_ons a
		   left join lateral (
		     select v.version, v.price_minor, v.currency, v.billing_interval
		       from add_on_versions v
		      where v.add_on_code = a.code
		        and not exists (select from add_on_version_retirements r where r.add_on_version_id = v.id)
		      order by v.version desc limit 1) o on true
		  where a.code > $1 collate "C"
		  order by a.code collate "C"
		  limit $2`,
		[after, max],
	);
	return rows.map(({ code, name, versions, ...offer }) => ({
		code,
		name,
		versions,
		offered: readOffer(offer),
	}));
}

function readOffer({
	version,
	price_minor: priceMinor,
	currency,
	billing_interval: interval,
}: Pick<OfferRow, "version" | "price_minor" | "currency" | "billing_interval">): Offer | undefined {
	if (version === null || priceMinor === null || currency === null || interval === null) return undefined;
	return { version, priceMinor, currency, interval };
}

/** The codes used in versions. */
export type CatalogueCodes = {
	bundles: Array<{ code: string; name: string; products: string[] }>;
	features: Array<{ code: string; kind: "boolean" | "limit" | "metered"; description: string }>;
};

/** All bundles and features, at most `max` of each. */
export async function readCatalogueCodes(db: Database, max: number): Promise<CatalogueCodes> {
	const [row] = await db.query<CatalogueCodes>(
		`select
		   (select coalesce(json_agg(json_build_object('code', b.code, 'name', b.name, 'products', b.products) order by b.created_at, b.code), '[]')
		      from (select * from bundles order by created_at, code limit $1) b) as bundles,
		   (select coalesce(json_agg(json_build_object('code', f.code, 'kind', f.kind, 'description', f.description) order by f.created_at, f.code), '[]')
		      from (select * from features order by created_at, code limit $1) f) as features`,
		[max],
	);
	if (row === undefined) throw new Error("reading the catalogue returned no row");
	return row;
}
