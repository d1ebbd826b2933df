import type { Database } from "@lango/postgres";
import {
	type Algorithm,
	exportSigningKey,
	importSigningKey,
	type KeyEncryptionKeys,
	type SigningKey,
	seal,
	unseal,
} from "@lango/tokens";
import type { KeyState, KeyStatus } from "./rotation.ts";

type StateRow = { kid: string; algorithm: Algorithm; status: KeyStatus; changed_at: Date };
export type StoredKey = SigningKey & KeyState;

/** Takes the advisory lock for changes of keys, until the transaction ends. */
export async function lockKeys(tx: Database): Promise<void> {
	await tx.query("select pg_advisory_xact_lock(hashtext('lango-signing-keys'))");
}

/** Lists the state of every published key, newest first. */
export async function listKeyStates(db: Database): Promise<KeyState[]> {
	const rows = await db.query<StateRow>(
		"select kid, algorithm, status, changed_at from signing_keys where status <> 'removed' order by created_at desc limit 50",
	);
	return rows.map(({ changed_at: changedAt, ...key }) => ({ ...key, changedAt }));
}

/** Lists every published key with its decrypted private half: pending, active and retired. */
export async function listSigningKeys(db: Database, encryption: KeyEncryptionKeys): Promise<StoredKey[]> {
	const rows = await db.query<StateRow & { sealed: Buffer; key_encryption_key_id: string }>(`
		select kid, algorithm, status, changed_at, sealed, key_encryption_key_id from signing_keys
		 where status <> 'removed' order by created_at desc limit 50`);
	return rows.map(
		({ kid, algorithm, status, changed_at: changedAt, sealed, key_encryption_key_id: keyId }) => ({
			...importSigningKey(kid, algorithm, unseal(encryption, `signing-key:${kid}`, { keyId, sealed })),
			status,
			changedAt,
		}),
	);
}

export type NewKey = {
	key: SigningKey;
	status: "pending" | "active";
	encryption: KeyEncryptionKeys;
	now: Date;
};

/** Inserts a new key with its private half encrypted. */
export async function recordKey(db: Database, { key, status, encryption, now }: NewKey): Promise<void> {
	const { keyId, sealed } = seal(encryption, `signing-key:${key.kid}`, exportSigningKey(key));
	await db.query(
		`insert into signing_keys (kid, algorithm, status, sealed, key_encryption_key_id, created_at, changed_at)
		 values ($1, $2, $3, $4, $5, $6, $6)`,
		[key.kid, key.algorithm, status, sealed, keyId, now],
	);
}

/**
 * Changes the status of a key. The private half of a removed key is deleted. Returns false if the key does
 * not exist.
 */
export async function changeKeyStatus(
	db: Database,
	{ kid, status, now }: { kid: string; status: "active" | "retired" | "removed"; now: Date },
): Promise<boolean> {
	const rows = await db.query(
		`update signing_keys set status = $2, changed_at = $3, sealed = case when $2 = 'removed' then '' else sealed end
		  where kid = $1 and status <> 'removed' returning kid`,
		[kid, status, now],
	);
	return rows.length > 0;
}
