import type { Database } from "@lango/postgres";
import type { ApiKeyParts } from "@lango/tokens";
import { endOtherSettingKeys, recordSettingKey } from "./api-key.store.ts";

/** A key that was replaced goes on for this long, so that the services that ask can be restarted one by one. */
const replacedKeyMs = 60 * 60 * 1_000;

/** Makes the key of the settings the one in force, or none when there is none; idempotent. */
export async function admitSettingKey(
	db: Database,
	{ key, now }: { key: ApiKeyParts | undefined; now: Date },
): Promise<void> {
	await db.transaction(async (tx) => {
		if (key !== undefined) await recordSettingKey(tx, key);
		await endOtherSettingKeys(tx, { id: key?.id, at: new Date(now.getTime() + replacedKeyMs) });
	});
}
