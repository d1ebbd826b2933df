import type { Database } from "@lango/postgres";
import {
	type Algorithm,
	algorithms,
	generateSigningKey,
	type KeyEncryptionKeys,
	type KeySet,
	localKeySet,
	type PublicJwk,
	publicJwk,
	readPublicJwk,
	type SigningKey,
} from "@lango/tokens";
import { listSigningKeys, recordFirstKey, type StoredKey } from "./signing-key.store.ts";

/** The issuer's keys as this process holds them. */
export type KeyRing = {
	/** The key that signs now. */
	signing(algorithm: Algorithm): SigningKey;
	/** What the world may know, for the JWKS document (RFC 7517). */
	published(): readonly PublicJwk[];
	/** The same keys, to check the issuer's own tokens with. */
	keys: KeySet;
	/** Reads the keys again; other processes may have changed them. */
	reload(): Promise<void>;
};

/** Loads the keys; makes the first ones where there are none. Of several processes that start at once, one's keys stay. */
export async function openKeyRing(
	db: Database,
	{ encryption, now }: { encryption: KeyEncryptionKeys; now: () => Date },
): Promise<KeyRing> {
	let stored: StoredKey[] = [];
	let published: PublicJwk[] = [];
	let verifying = published.map(readPublicJwk).filter((key) => key !== undefined);
	const reload = async () => {
		stored = await listSigningKeys(db, encryption);
		published = stored.map(publicJwk);
		verifying = published.map(readPublicJwk).filter((key) => key !== undefined);
	};
	const active = (algorithm: Algorithm) =>
		stored.find((key) => key.algorithm === algorithm && key.status === "active");

	await reload();
	for (const algorithm of algorithms)
		if (active(algorithm) === undefined)
			await recordFirstKey(db, { encryption, key: await generateSigningKey(algorithm), now: now() });
	await reload();

	return {
		signing(algorithm) {
			const key = active(algorithm);
			if (key === undefined) throw new Error(`there is no active ${algorithm} key`);
			return key;
		},
		published: () => published,
		keys: localKeySet(() => verifying),
		reload,
	};
}
