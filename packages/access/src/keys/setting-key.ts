import type { Database } from "@lango/postgres";
import { endOtherSettingKeys, recordSettingKey, type SettingKey } from "./setting-key.store.ts";

/** A replaced key stays valid for this long, so that the calling services can be restarted one by one. */
const replacedKeyMs = 60 * 60 * 1_000;

/**
 * Makes the keys in a service's settings the active ones. Idempotent. They are for all tenants, because other
 * services use them. Keys that are no longer in the settings stay valid for an hour. The service has a table
 * `api_keys` with `id`, `secret_hash`, `source`, `caller`, `permissions` and `expires_at`.
 */
export async function admitSettingKeys(
	db: Database,
	{ keys, now }: { keys: readonly SettingKey[]; now: Date },
): Promise<void> {
	await db.transaction(async (tx) => {
		for (const key of keys.toSorted((one, other) => (one.id < other.id ? -1 : 1)))
			await recordSettingKey(tx, key);
		const at = new Date(now.getTime() + replacedKeyMs);
		await endOtherSettingKeys(tx, { ids: keys.map(({ id }) => id), at });
	});
}
