import type { BillingInterval } from "@lango/contracts";
import type { Database } from "@lango/postgres";

/** What the platform owner sells in versions. */
export type CatalogueKind = "plan" | "add_on";

type Priced = {
	priceMinor: bigint;
	currency: string;
	interval: BillingInterval;
	features: readonly string[];
	/** The limits of an add-on are added to those of the plan. */
	limits: Readonly<Record<string, number>>;
};

/** A new version of a plan. `overage`: price of one unit beyond a limit, and the number of units on sale. */
export type NewPlanVersion = Priced & {
	bundle: string;
	trialDays: number;
	graceDays: number;
	overage: Readonly<Record<string, { unit_price_minor: number; cap: number }>>;
};

/** A new version of an add-on. */
export type NewAddOnVersion = Priced & { products: readonly string[] };

/** A version as it was published. */
export type Published<T> = T & { version: number; retiredAt: Date | null; createdAt: Date };

/** Records a plan without versions, which cannot be selected yet. False if its code or position is taken. */
export async function addPlan(
	tx: Database,
	{ code, name, position }: { code: string; name: string; position: number },
): Promise<boolean> {
	const rows = await tx.query(
		"insert into plans (code, name, position) values ($1, $2, $3) on conflict do nothing returning code",
		[code, name, position],
	);
	return rows.length === 1;
}

/** Records an add-on without versions, which cannot be added yet. False if its code is taken. */
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

const statements: Readonly<Record<CatalogueKind, Record<"lock" | "find" | "isRetired" | "retire", string>>> =
	{
		plan: {
			lock: "select code from plans where code = $1 for update",
			find: "select id from plan_versions where plan_code = $1 and version = $2",
			isRetired: "select from plan_version_retirements where plan_version_id = $1",
			retire: "insert into plan_version_retirements (plan_version_id, retired_at) values ($1, $2)",
		},
		add_on: {
			lock: "select code from add_ons where code = $1 for update",
			find: "select id from add_on_versions where add_on_code = $1 and version = $2",
			isRetired: "select from add_on_version_retirements where add_on_version_id = $1",
			retire: "insert into add_on_version_retirements (add_on_version_id, retired_at) values ($1, $2)",
		},
	};

/** Locks a plan or an add-on until the transaction ends, to number its versions. False if not found. */
export async function lockItem(tx: Database, kind: CatalogueKind, code: string): Promise<boolean> {
	return (await tx.query(statements[kind].lock, [code])).length === 1;
}

/** Takes a version off offer: "absent" if not found, "already" if it was retired before. */
export async function retireVersion(
	tx: Database,
	kind: CatalogueKind,
	{ code, version, now }: { code: string; version: number; now: Date },
): Promise<"retired" | "already" | "absent"> {
	const { find, isRetired, retire } = statements[kind];
	if (!(await lockItem(tx, kind, code))) return "absent";
	const [found] = await tx.query<{ id: string }>(find, [code, version]);
	if (found === undefined) return "absent";
	if ((await tx.query(isRetired, [found.id])).length > 0) return "already";
	await tx.query(retire, [found.id, now]);
	return "retired";
}

/** The codes to look up in the catalogue. */
export type UsedCodes = {
	bundle?: string;
	features: readonly string[];
	limits: readonly string[];
	overage?: readonly string[];
};

/** Codes that are not in the catalogue, with the field that uses them. */
export async function listUnknownCodes(
	tx: Database,
	{ bundle, features, limits, overage = [] }: UsedCodes,
): Promise<Array<{ field: string; code: string }>> {
	return tx.query<{ field: string; code: string }>(
		`select 'bundle' as field, $1::text as code
		  where $1 is not null and not exists (select from bundles where code = $1)
		 union all
		 select 'features', used from unnest($2::text[]) used
		  where not exists (select from features where code = used and kind = 'boolean')
		 union all
		 select 'limits', used from unnest($3::text[]) used
		  where not exists (select from features where code = used and kind in ('limit', 'metered'))
		 union all
		 select 'overage', used from unnest($4::text[]) used
		  where not exists (select from features where code = used and kind in ('limit', 'metered'))
		 limit 20`,
		[bundle ?? null, features, limits, overage],
	);
}

/** Records the next version of a plan that this transaction has locked, and returns its number. */
export async function addPlanVersion(tx: Database, code: string, version: NewPlanVersion): Promise<number> {
	return numberOf(
		await tx.query<{ version: number }>(
			`insert into plan_versions (plan_code, version, bundle_code, price_minor, currency, billing_interval, trial_days,
			                            grace_days, features, limits, overage)
			 select $1, coalesce(max(version), 0) + 1, $2, $3, $4, $5, $6, $7, $8, $9, $10 from plan_versions where plan_code = $1
			 returning version`,
			[
				code,
				version.bundle,
				version.priceMinor,
				version.currency,
				version.interval,
				version.trialDays,
				version.graceDays,
				version.features,
				version.limits,
				version.overage,
			],
		),
	);
}

/** Records the next version of an add-on that this transaction has locked, and returns its number. */
export async function addAddOnVersion(tx: Database, code: string, version: NewAddOnVersion): Promise<number> {
	return numberOf(
		await tx.query<{ version: number }>(
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
		),
	);
}

function numberOf([row]: ReadonlyArray<{ version: number }>): number {
	if (row === undefined) throw new Error("inserting a version returned no row");
	return row.version;
}

/** A page of versions: those before a number, newest first. */
export type VersionPage = { code: string; before: number | undefined; max: number };

type PublishedRow = {
	version: number;
	price_minor: bigint;
	currency: string;
	billing_interval: BillingInterval;
	features: string[];
	limits: Record<string, number>;
	created_at: Date;
	retired_at: Date | null;
};

const publishedOf = (row: PublishedRow): Published<Priced> => ({
	version: row.version,
	priceMinor: row.price_minor,
	currency: row.currency,
	interval: row.billing_interval,
	features: row.features,
	limits: row.limits,
	createdAt: row.created_at,
	retiredAt: row.retired_at,
});

/** The versions of a plan, newest first. */
export async function listPlanVersions(
	db: Database,
	{ code, before, max }: VersionPage,
): Promise<Array<Published<NewPlanVersion>>> {
	const rows = await db.query<
		PublishedRow & { bundle_code: string; trial_days: number; grace_days: number } & Pick<
				NewPlanVersion,
				"overage"
			>
	>(
		`select v.version, v.bundle_code, v.price_minor, v.currency, v.billing_interval, v.trial_days, v.grace_days,
		        v.features, v.limits, v.overage, v.created_at, r.retired_at
		   from plan_versions v
		   left join plan_version_retirements r on r.plan_version_id = v.id
		  where v.plan_code = $1 and ($2::integer is null or v.version < $2)
		  order by v.version desc limit $3`,
		[code, before ?? null, max],
	);
	return rows.map((row) => ({
		...publishedOf(row),
		bundle: row.bundle_code,
		trialDays: row.trial_days,
		graceDays: row.grace_days,
		overage: row.overage,
	}));
}

/** The versions of an add-on, newest first. */
export async function listAddOnVersions(
	db: Database,
	{ code, before, max }: VersionPage,
): Promise<Array<Published<NewAddOnVersion>>> {
	const rows = await db.query<PublishedRow & { products: string[] }>(
		`select v.version, v.price_minor, v.currency, v.billing_interval, v.products, v.features, v.limits, v.created_at,
		        r.retired_at
		   from add_on_versions v
		   left join add_on_version_retirements r on r.add_on_version_id = v.id
		  where v.add_on_code = $1 and ($2::integer is null or v.version < $2)
		  order by v.version desc limit $3`,
		[code, before ?? null, max],
	);
	return rows.map((row) => ({ ...publishedOf(row), products: row.products }));
}
