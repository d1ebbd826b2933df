import { requireNoOpenTransaction, tracedFetch } from "@lango/tracing";
import type { JWK } from "jose";
import { readPublicJwk, type VerifyingKey } from "./signing-key.ts";

/** Where a verifier finds the key a token names. */
export type KeySet = {
	/** The key with this id, or undefined when the issuer does not publish it. Throws KeySetUnavailable when nobody can say. */
	find(kid: string): Promise<VerifyingKey | undefined>;
	/** The key at hand without asking anyone; undefined when it is not at hand. */
	peek(kid: string): VerifyingKey | undefined;
};

/** The issuer's keys could not be fetched and none are at hand; trying again later may help. */
export class KeySetUnavailable extends Error {
	constructor(cause: unknown) {
		super("the issuer's keys cannot be fetched", { cause });
		this.name = "KeySetUnavailable";
	}
}

export type RemoteKeySetOptions = {
	/** Address of the JWKS document. */
	url: string;
	now: () => Date;
	fetch?: typeof fetch;
	/** Keys are fetched again when older than this. */
	maxAgeSeconds?: number;
	/** An unknown `kid` causes at most one fetch in this time, so that forged tokens are no flood. */
	coolDownSeconds?: number;
	timeoutMs?: number;
};

const keysMax = 50;

/** An issuer's published keys: cached, one fetch in flight, fetched again on an unknown `kid` but not more often than the cool-down. */
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
		if (!answer.ok) throw new Error(`the key set answered ${answer.status}`);
		const body = (await answer.json()) as { keys?: unknown };
		if (!Array.isArray(body.keys)) throw new Error("the key set has no keys member");
		const read = body.keys
			.slice(0, keysMax)
			.map((jwk) => readPublicJwk(jwk as JWK))
			.filter((key) => key !== undefined);
		if (read.length === 0) throw new Error("the key set is empty");
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
	/** Keys that cannot be fetched again stay good: the issuer keeps a key published as long as its tokens live. */
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
			if (keys.size === 0) throw new KeySetUnavailable(new Error("fetching them failed a moment ago"));
			return keys.get(kid);
		},
	};
}

/** Keys that are at hand already: an issuer's own, or a test's. */
export function localKeySet(list: () => readonly VerifyingKey[]): KeySet {
	const peek = (kid: string) => list().find((key) => key.kid === kid);
	return { peek, find: async (kid) => peek(kid) };
}
