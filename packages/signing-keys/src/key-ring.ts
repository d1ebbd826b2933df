import type { Database } from "@lango/postgres";
import {
	type Algorithm,
	type KeyEncryptionKeys,
	type KeySet,
	localKeySet,
	type PublicJwk,
	publicJwk,
	readPublicJwk,
	type SigningKey,
	type VerifyingKey,
} from "@lango/tokens";
import { rotateKeys } from "./rotate-keys.ts";
import type { KeyPlan } from "./rotation.ts";
import { listSigningKeys, type StoredKey } from "./signing-key.store.ts";

/** The issuer's keys as this process holds them. */
export type KeyRing = {
	/** The key that signs now. */
	signing(algorithm: Algorithm): SigningKey;
	/** What the world may know, for the JWKS document (RFC 7517). */
	published(): readonly PublicJwk[];
	/** The same keys, to check the issuer's own tokens with. */
	keys: KeySet;
	/** Takes the steps of rotation that are due and reads the keys again; other processes may have changed them. */
	refresh(): Promise<void>;
};

/** Loads the keys; makes the first ones where there are none. Of several processes that start at once, one's keys stay. */
export async function openKeyRing(
	db: Database,
	{ encryption, now, plan }: { encryption: KeyEncryptionKeys; now: () => Date; plan?: KeyPlan },
): Promise<KeyRing> {
	let stored: StoredKey[] = [];
	let published: PublicJwk[] = [];
	let verifying: VerifyingKey[] = [];
	const refresh = async () => {
		await rotateKeys(db, { encryption, now: now(), plan });
		stored = await listSigningKeys(db, encryption);
		published = stored.map(publicJwk);
		verifying = published.map(readPublicJwk).filter((key) => key !== undefined);
	};
	await refresh();

	return {
		signing(algorithm) {
			const key = stored.find((one) => one.algorithm === algorithm && one.status === "active");
			if (key === undefined) throw new Error(`there is no active ${algorithm} key`);
			return key;
		},
		published: () => published,
		keys: localKeySet(() => verifying),
		refresh,
	};
}

/** Looks after the keys again and again, never twice at once; a failure is told and tried again next time. Returns how to stop. */
export function refreshEvery(
	ring: Pick<KeyRing, "refresh">,
	{ seconds, onTrouble }: { seconds: number; onTrouble: (error: unknown) => void },
): () => Promise<void> {
	let underWay: Promise<void> | undefined;
	const turn = () => {
		underWay ??= ring
			.refresh()
			.catch(onTrouble)
			.finally(() => {
				underWay = undefined;
			});
	};
	const timer = setInterval(turn, seconds * 1_000);
	return async () => {
		clearInterval(timer);
		await underWay;
	};
}
