import type { Database } from "@lango/postgres";

/** The current value of a setting for a tenant. */
export type ConfigEntry = { key: string; value: unknown; source: "platform" | "tenant" };

type ConfigRow = { key: string; value: unknown; is_own: boolean };

/** The entries of the current tenant, and the platform's defaults. */
const entries = `(select key, value, true as is_own from service_config
		   union all select key, value, false from platform_config) entry`;

/**
 * The settings of the current tenant, by key: its own entries, else the platform's defaults. With `prefix`,
 * only the keys that start with it. Call it inside the tenant.
 */
export async function listConfig(
	tx: Database,
	{ prefix = "", after, limit }: { prefix?: string; after: string; limit: number },
): Promise<ConfigEntry[]> {
	const rows = await tx.query<ConfigRow>(
		`select distinct on (key) key, value, is_own from ${entries}
		  where starts_with(key, $1) and key > $2 order by key, is_own desc limit $3`,
		[prefix, after, limit],
	);
	return rows.map(fromRow);
}

/**
 * One setting of the current tenant; undefined if neither the tenant nor the platform has it. Call it
 * inside the tenant.
 */
export async function findConfig(tx: Database, key: string): Promise<ConfigEntry | undefined> {
	const [row] = await tx.query<ConfigRow>(
		`select key, value, is_own from ${entries} where key = $1 order by is_own desc limit 1`,
		[key],
	);
	return row && fromRow(row);
}

export type ConfigChange = { key: string; value: unknown; changedBy: string; now: Date };

/**
 * Sets a tenant's own entry. Returns false if this would be a further entry and the tenant already has
 * `entriesMax`.
 */
export async function recordConfig(
	db: Database,
	change: ConfigChange & { tenantId: string; entriesMax: number },
): Promise<boolean> {
	const { tenantId, key, value, changedBy, now, entriesMax } = change;
	await db.query("select pg_advisory_xact_lock(hashtext('service_config'), hashtext($1))", [tenantId]);
	const rows = await db.query(
		`insert into service_config (tenant_id, key, value, changed_by, changed_at)
		 select $1, $2, $3::jsonb, $4, $5
		  where (select count(*) from service_config where tenant_id = $1 and key <> $2) < $6
		 on conflict on constraint service_config__pkey do update
		    set value = excluded.value, changed_by = excluded.changed_by, changed_at = excluded.changed_at
		 returning key`,
		[tenantId, key, JSON.stringify(value), changedBy, now, entriesMax],
	);
	return rows.length > 0;
}

/** Removes a tenant's own entry, so that the platform's default applies again. */
export async function removeConfig(
	db: Database,
	{ tenantId, key }: { tenantId: string; key: string },
): Promise<void> {
	await db.query("delete from service_config where tenant_id = $1 and key = $2", [tenantId, key]);
}

/**
 * Sets the platform's default for every tenant, or removes it if `value` is null. Returns the previous
 * value.
 */
export async function recordConfigDefault(
	db: Database,
	{ key, value, changedBy, now }: ConfigChange,
): Promise<unknown> {
	const [row] = await db.query<{ before: unknown }>(
		"select set_config_default($1, $2::jsonb, $3, $4) as before",
		[key, value === null ? null : JSON.stringify(value), changedBy, now],
	);
	return row?.before ?? null;
}

/** The number of the platform's defaults. */
export async function countConfigDefaults(db: Database): Promise<number> {
	const [row] = await db.query<{ entries: number }>(
		"select count(*)::integer as entries from platform_config",
	);
	return row?.entries ?? 0;
}

function fromRow({ key, value, is_own }: ConfigRow): ConfigEntry {
	return { key, value, source: is_own ? "tenant" : "platform" };
}
