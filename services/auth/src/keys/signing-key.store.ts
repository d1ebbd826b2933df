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

type KeyRow = {
	kid: string;
	algorithm: Algorithm;
	status: "pending" | "active" | "retired";
	sealed: Buffer;
	key_encryption_key_id: string;
};
export type StoredKey = SigningKey & { status: "pending" | "active" | "retired" };

/** Every key that is published: those to come, those in use, and those whose tokens may still be about. */
export async function listSigningKeys(db: Database, encryption: KeyEncryptionKeys): Promise<StoredKey[]> {
	const rows = await db.query<KeyRow>(`
		select kid, algorithm, status, sealed, key_encryption_key_id from signing_keys
		 where status <> 'removed' order by created_at desc limit 50`);
	return rows.map(({ kid, algorithm, status, sealed, key_encryption_key_id: keyId }) => ({
		...importSigningKey(kid, algorithm, unseal(encryption, `signing-key:${kid}`, { keyId, sealed })),
		status,
	}));
}

/** Records a new key as the active one of its algorithm, unless there is one: then the caller's is forgotten. */
export async function recordFirstKey(
	db: Database,
	{ encryption, key, now }: { encryption: KeyEncryptionKeys; key: SigningKey; now: Date },
) {
	const { keyId, sealed } = seal(encryption, `signing-key:${key.kid}`, exportSigningKey(key));
	await db.query(
		`insert into signing_keys (kid, algorithm, status, sealed, key_encryption_key_id, created_at)
		 values ($1, $2, 'active', $3, $4, $5)
		 on conflict (algorithm) where status = 'active' do nothing`,
		[key.kid, key.algorithm, sealed, keyId, now],
	);
}
