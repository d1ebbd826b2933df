import type { Database } from "@lango/postgres";
import { endOtherSettingKeys, recordSettingKey } from "./setting-key.store.ts";

/** A key that was replaced goes on for this long, so that the services that ask can be restarted one by one. */
const replacedKeyMs = 60 * 60 * 1_000;

export type AdmittingKey = {
	/** The key of the settings, its secret only as a hash; undefined when none is set. */
	key: { id: string; secretHash: Buffer } | undefined;
	now: Date;
};

/**
 * Makes the key of a service's settings the one in force, or none when there is none; idempotent. It is good for all
 * tenants, as other services ask by it; the one before goes on for an hour. The service has a table `api_keys` with
 * `id`, `secret_hash`, `source` and `expires_at`.
 */
export async function admitSettingKey(db: Database, { key, now }: AdmittingKey): Promise<void> {
	await db.transaction(async (tx) => {
		if (key !== undefined) await recordSettingKey(tx, key);
		await endOtherSettingKeys(tx, { id: key?.id, at: new Date(now.getTime() + replacedKeyMs) });
	});
}
