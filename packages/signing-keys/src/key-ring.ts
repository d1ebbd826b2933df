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

/** A service's signing keys, cached in this process. */
export type KeyRing = {
	/** Returns the active key of an algorithm. Throws an Error if the algorithm has no active key. */
	signing(algorithm: Algorithm): SigningKey;
	/** The public keys for the JWKS document (RFC 7517). */
	published(): readonly PublicJwk[];
	/** The same public keys, for the issuer to verify its own tokens. */
	keys: KeySet;
	/** Runs the rotation steps that are due and reloads the keys. Other processes may have changed them. */
	refresh(): Promise<void>;
};

/**
 * Loads the keys, and creates the first ones if the table is empty. Rotation runs under a lock, so processes
 * that start at the same time use the same keys.
 */
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

/**
 * Calls `refresh` at an interval, never concurrently. A failed refresh is passed to `onError` and retried
 * at the next interval. Returns a function that stops the timer and waits for the refresh in progress.
 */
export function refreshEvery(
	ring: Pick<KeyRing, "refresh">,
	{ seconds, onError }: { seconds: number; onError: (error: unknown) => void },
): () => Promise<void> {
	let inFlight: Promise<void> | undefined;
	const refreshOnce = () => {
		inFlight ??= ring
			.refresh()
			.catch(onError)
			.finally(() => {
				inFlight = undefined;
			});
	};
	const timer = setInterval(refreshOnce, seconds * 1_000);
	return async () => {
		clearInterval(timer);
		await inFlight;
	};
}
