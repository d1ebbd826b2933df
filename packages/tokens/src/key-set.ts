import { requireNoOpenTransaction, tracedFetch } from "@lango/tracing";
import type { JWK } from "jose";
import { readPublicJwk, type VerifyingKey } from "./signing-key.ts";

/** The issuer's public keys, by key id. */
export type KeySet = {
	/**
	 * Returns the key, or undefined if the issuer does not publish it. Throws KeySetUnavailable if the keys
	 * cannot be fetched and none are cached.
	 */
	find(kid: string): Promise<VerifyingKey | undefined>;
	/** Returns the key if it is cached, without a request. */
	peek(kid: string): VerifyingKey | undefined;
};

/** The issuer's keys could not be fetched and none are cached. A retry may succeed. */
export class KeySetUnavailable extends Error {
	constructor(cause: unknown) {
		super("the issuer's keys cannot be fetched", { cause });
		this.name = "KeySetUnavailable";
	}
}

export type RemoteKeySetOptions = {
	/** The URL of the JWKS document. */
	url: string;
	now: () => Date;
	fetch?: typeof fetch;
	/** Cached keys older than this are fetched again. Default: 300. */
	maxAgeSeconds?: number;
	/**
	 * An unknown `kid` causes at most one request in this time, so that forged tokens cannot flood the issuer.
	 * Default: 10.
	 */
	coolDownSeconds?: number;
	timeoutMs?: number;
};

const keysMax = 50;

/**
 * Fetches and caches an issuer's public keys. Concurrent lookups share one request. An unknown `kid` causes a
 * refresh, at most once per cool-down.
 */
export function remoteKeySet(options: RemoteKeySetOptions): KeySet {
	const {
		url,
		now,
		fetch: get = tracedFetch,
		maxAgeSeconds = 300,
		coolDownSeconds = 10,
		timeoutMs = 3_000,
	} = options;
	let keys = new Map<string, VerifyingKey>();
	let fetchedAt = Number.NEGATIVE_INFINITY;
	let triedAt = Number.NEGATIVE_INFINITY;
	let inFlight: Promise<void> | undefined;

	const load = async () => {
		const answer = await get(url, {
			signal: AbortSignal.timeout(timeoutMs),
			headers: { accept: "application/json" },
		});
		if (!answer.ok) throw new Error(`the key set was answered with status ${answer.status}`);
		const body = (await answer.json()) as { keys?: unknown };
		if (!Array.isArray(body.keys)) throw new Error("the key set has no keys member");
		const read = body.keys
			.slice(0, keysMax)
			.map((jwk) => readPublicJwk(jwk as JWK))
			.filter((key) => key !== undefined);
		if (read.length === 0) throw new Error("the key set contains no usable key");
		keys = new Map(read.map((key) => [key.kid, key]));
		fetchedAt = now().getTime();
	};
	const refresh = () => {
		triedAt = now().getTime();
		inFlight ??= load().finally(() => {
			inFlight = undefined;
		});
		return inFlight;
	};
	const olderThan = (since: number, seconds: number) => now().getTime() - since >= seconds * 1_000;

	const peek = (kid: string) => (olderThan(fetchedAt, maxAgeSeconds) ? undefined : keys.get(kid));
	/**
	 * If a refresh fails, cached keys stay in use: the issuer publishes a key for as long as its tokens live.
	 */
	const refreshIfDue = async () => {
		if (inFlight === undefined && !olderThan(triedAt, coolDownSeconds)) return;
		try {
			await refresh();
		} catch (cause) {
			if (keys.size === 0) throw new KeySetUnavailable(cause);
		}
	};

	return {
		peek,
		async find(kid) {
			requireNoOpenTransaction("look up the issuer's keys");
			const known = peek(kid);
			if (known !== undefined) return known;
			await refreshIfDue();
			if (keys.size === 0)
				throw new KeySetUnavailable(new Error("the last request failed, and the cool-down has not ended"));
			return keys.get(kid);
		},
	};
}

/** A key set that is already in memory: the issuer's own keys, or those of a test. */
export function localKeySet(list: () => readonly VerifyingKey[]): KeySet {
	const peek = (kid: string) => list().find((key) => key.kid === kid);
	return { peek, find: async (kid) => peek(kid) };
}
