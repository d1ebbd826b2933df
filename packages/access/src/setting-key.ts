import type { Database } from "@lango/postgres";
import { endOtherSettingKeys, recordSettingKey, type SettingKey } from "./setting-key.store.ts";

/** A key that was replaced goes on for this long, so that the services that ask can be restarted one by one. */
const replacedKeyMs = 60 * 60 * 1_000;

/**
 * Makes the keys of a service's settings the ones in force; idempotent. They are good for all tenants, as other services
 * ask by them. Those that are no longer named go on for an hour. The service has a table `api_keys` with `id`,
 * `secret_hash`, `source`, `caller`, `permissions` and `expires_at`.
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
