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

/** One process at a time changes keys; held until the transaction ends. */
export async function lockKeys(tx: Database): Promise<void> {
	await tx.query("select pg_advisory_xact_lock(hashtext('lango-signing-keys'))");
}

/** Where every key that is published stands, newest first. */
export async function listKeyStates(db: Database): Promise<KeyState[]> {
	const rows = await db.query<StateRow>(
		"select kid, algorithm, status, changed_at from signing_keys where status <> 'removed' order by created_at desc limit 50",
	);
	return rows.map(({ changed_at: changedAt, ...key }) => ({ ...key, changedAt }));
}

/** Every key that is published, opened: those to come, those in use, and those whose tokens may still be about. */
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

/** Records a new key, encrypted. */
export async function recordKey(db: Database, { key, status, encryption, now }: NewKey): Promise<void> {
	const { keyId, sealed } = seal(encryption, `signing-key:${key.kid}`, exportSigningKey(key));
	await db.query(
		`insert into signing_keys (kid, algorithm, status, sealed, key_encryption_key_id, created_at, changed_at)
		 values ($1, $2, $3, $4, $5, $6, $6)`,
		[key.kid, key.algorithm, status, sealed, keyId, now],
	);
}

/** Moves a key to its next status; a removed one loses its private half. False when there is no such key. */
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
