import type { BillingInterval } from "@lango/contracts";
import type { Database } from "@lango/postgres";

/** What an add-on is to hold and cost from now on. */
export type NewAddOnVersion = {
	priceMinor: bigint;
	currency: string;
	interval: BillingInterval;
	products: readonly string[];
	features: readonly string[];
	/** Added to the limits of the plan. */
	limits: Readonly<Record<string, number>>;
};

export type KeptAddOnVersion = NewAddOnVersion & { version: number; retiredAt: Date | null; createdAt: Date };

/** Records an add-on without versions: nobody can take it yet. False when its code is taken. */
export async function addAddOn(
	tx: Database,
	{ code, name }: { code: string; name: string },
): Promise<boolean> {
	const rows = await tx.query(
		"insert into add_ons (code, name) values ($1, $2) on conflict do nothing returning code",
		[code, name],
	);
	return rows.length === 1;
}

/** Whether there is such an add-on; it stays locked until the transaction ends, so that its versions are made one by one. */
export async function lockAddOn(tx: Database, code: string): Promise<boolean> {
	const rows = await tx.query("select code from add_ons where code = $1 for update", [code]);
	return rows.length === 1;
}

/** Records the next version of an add-on that is locked. */
export async function addAddOnVersion(tx: Database, code: string, version: NewAddOnVersion): Promise<number> {
	const [row] = await tx.query<{ version: number }>(
		`insert into add_on_versions (add_on_code, version, price_minor, currency, billing_interval, products, features, limits)
		 select $1, coalesce(max(version), 0) + 1, $2, $3, $4, $5, $6, $7 from add_on_versions where add_on_code = $1
		 returning version`,
		[
			code,
			version.priceMinor,
			version.currency,
			version.interval,
			version.products,
			version.features,
			version.limits,
		],
	);
	if (row === undefined) throw new Error("recording a version returned nothing");
	return row.version;
}

/** The versions of an add-on, the newest first. */
export async function listAddOnVersions(
	db: Database,
	{ code, before, limit }: { code: string; before: number | undefined; limit: number },
): Promise<KeptAddOnVersion[]> {
	const rows = await db.query<VersionRow>(
		`select v.version, v.price_minor, v.currency, v.billing_interval, v.products, v.features, v.limits, v.created_at,
		        r.retired_at
		   from add_on_versions v
		   left join add_on_version_retirements r on r.add_on_version_id = v.id
		  where v.add_on_code = $1 and ($2::integer is null or v.version < $2)
		  order by v.version desc limit $3`,
		[code, before ?? null, limit],
	);
	return rows.map((row) => ({
		version: row.version,
		priceMinor: row.price_minor,
		currency: row.currency,
		interval: row.billing_interval,
		products: row.products,
		features: row.features,
		limits: row.limits,
		createdAt: row.created_at,
		retiredAt: row.retired_at,
	}));
}

type VersionRow = {
	version: number;
	price_minor: bigint;
	currency: string;
	billing_interval: BillingInterval;
	products: string[];
	features: string[];
	limits: Record<string, number>;
	created_at: Date;
	retired_at: Date | null;
};

/** Takes a version off offer: "absent" when there is none, "already" when it was. */
export async function retireAddOnVersion(
	tx: Database,
	{ code, version, now }: { code: string; version: number; now: Date },
): Promise<"retired" | "already" | "absent"> {
	const [found] = await tx.query<{ id: string }>(
		"select id from add_on_versions where add_on_code = $1 and version = $2",
		[code, version],
	);
	if (found === undefined) return "absent";
	const rows = await tx.query(
		`insert into add_on_version_retirements (add_on_version_id, retired_at) values ($1, $2)
		 on conflict do nothing returning add_on_version_id`,
		[found.id, now],
	);
	return rows.length === 1 ? "retired" : "already";
}
