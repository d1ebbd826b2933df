import type { BillingInterval } from "@lango/contracts";
import type { Database } from "@lango/postgres";

/** What one unit beyond a limit costs, and how many are sold at most. */
type Overage = Readonly<Record<string, { unit_price_minor: number; cap: number }>>;

/** What a plan is to hold and cost from now on. */
export type NewVersion = {
	bundle: string;
	priceMinor: bigint;
	currency: string;
	interval: BillingInterval;
	trialDays: number;
	graceDays: number;
	features: readonly string[];
	limits: Readonly<Record<string, number>>;
	overage: Overage;
};

export type KeptVersion = NewVersion & { version: number; retiredAt: Date | null; createdAt: Date };

/** Records a plan without versions: nobody can select it yet. False when its code or its place is taken. */
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

/** Whether there is such a plan; it stays locked until the transaction ends, so that its versions are made one by one. */
export async function lockPlan(tx: Database, code: string): Promise<boolean> {
	const rows = await tx.query("select code from plans where code = $1 for update", [code]);
	return rows.length === 1;
}

/** What a version names that the catalogue does not have. */
export async function listUnknown(
	tx: Database,
	{ bundle, features, limits, overage }: NewVersion,
): Promise<Array<{ field: string; code: string }>> {
	return tx.query<{ field: string; code: string }>(
		`select 'bundle' as field, $1::text as code where not exists (select from bundles where code = $1)
		 union all
		 select 'features', wanted from unnest($2::text[]) wanted
		  where not exists (select from features where code = wanted and kind = 'boolean')
		 union all
		 select 'limits', wanted from unnest($3::text[]) wanted
		  where not exists (select from features where code = wanted and kind in ('limit', 'metered'))
		 union all
		 select 'overage', wanted from unnest($4::text[]) wanted
		  where not exists (select from features where code = wanted and kind in ('limit', 'metered'))
		 limit 20`,
		[bundle, features, Object.keys(limits), Object.keys(overage)],
	);
}

/** Records the next version of a plan that is locked. */
export async function addVersion(tx: Database, code: string, version: NewVersion): Promise<number> {
	const [row] = await tx.query<{ version: number }>(
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
	);
	if (row === undefined) throw new Error("recording a version returned nothing");
	return row.version;
}

/** The versions of a plan, the newest first. */
export async function listVersions(
	db: Database,
	{ code, before, limit }: { code: string; before: number | undefined; limit: number },
): Promise<KeptVersion[]> {
	const rows = await db.query<VersionRow>(
		`select v.version, v.bundle_code, v.price_minor, v.currency, v.billing_interval, v.trial_days, v.grace_days,
		        v.features, v.limits, v.overage, v.created_at, r.retired_at
		   from plan_versions v
		   left join plan_version_retirements r on r.plan_version_id = v.id
		  where v.plan_code = $1 and ($2::integer is null or v.version < $2)
		  order by v.version desc limit $3`,
		[code, before ?? null, limit],
	);
	return rows.map((row) => ({
		version: row.version,
		bundle: row.bundle_code,
		priceMinor: row.price_minor,
		currency: row.currency,
		interval: row.billing_interval,
		trialDays: row.trial_days,
		graceDays: row.grace_days,
		features: row.features,
		limits: row.limits,
		overage: row.overage,
		createdAt: row.created_at,
		retiredAt: row.retired_at,
	}));
}

type VersionRow = {
	version: number;
	bundle_code: string;
	price_minor: bigint;
	currency: string;
	billing_interval: BillingInterval;
	trial_days: number;
	grace_days: number;
	features: string[];
	limits: Record<string, number>;
	overage: Overage;
	created_at: Date;
	retired_at: Date | null;
};

/** Takes a version off offer: "absent" when there is none, "already" when it was. */
export async function retireVersion(
	tx: Database,
	{ code, version, now }: { code: string; version: number; now: Date },
): Promise<"retired" | "already" | "absent"> {
	const [found] = await tx.query<{ id: string }>(
		"select id from plan_versions where plan_code = $1 and version = $2",
		[code, version],
	);
	if (found === undefined) return "absent";
	const rows = await tx.query(
		`insert into plan_version_retirements (plan_version_id, retired_at) values ($1, $2)
		 on conflict do nothing returning plan_version_id`,
		[found.id, now],
	);
	return rows.length === 1 ? "retired" : "already";
}

/** Which of these features and limits the catalogue does not have. */
export async function listUnknownOverrides(
	tx: Database,
	{ features, limits }: { features: readonly string[]; limits: readonly string[] },
): Promise<Array<{ field: string; code: string }>> {
	return tx.query<{ field: string; code: string }>(
		`select 'features' as field, wanted as code from unnest($1::text[]) wanted
		  where not exists (select from features where code = wanted and kind = 'boolean')
		 union all
		 select 'limits', wanted from unnest($2::text[]) wanted
		  where not exists (select from features where code = wanted and kind in ('limit', 'metered'))
		 limit 20`,
		[features, limits],
	);
}
