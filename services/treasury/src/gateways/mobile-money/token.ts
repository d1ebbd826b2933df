import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "@lango/postgres";
import { type KeyEncryptionKeys, seal, UnsealFailed, unseal } from "@lango/tokens";
import { type Answer, accepted, refused, textOf } from "../calls/answer.ts";
import type { CallGateway, GatewayCall } from "../calls/call-gateway.ts";
import { readWith } from "./read-response.ts";
import {
	endLease,
	findToken,
	leaseToken,
	recordToken,
	type StoredToken,
	type TokenOwner,
} from "./token.store.ts";

/** The keys of a credential, with which its tokens are fetched. */
export type TokenKeys = TokenOwner & {
	profile: GatewayCall["profile"];
	perSecond: number;
	consumerKey: string;
	consumerSecret: string;
};

/** A token, and which one it is: a later one has a higher generation. */
type Token = { token: string; generation: number };

/**
 * Keeps access tokens: one of a credential for all processes, because a new one invalidates the one
 * before.
 */
export type Tokens = {
	/**
	 * Returns the token, and renews it 60 s before its end. `refusedGeneration` is the one that the gateway
	 * refused: then a later one is returned.
	 */
	get(keys: TokenKeys, refusedGeneration?: number): Promise<Answer<Token>>;
};

type Parts = { db: Database; now: () => Date; keys: KeyEncryptionKeys; call: CallGateway };

const renewBeforeMs = 60_000;
const leaseMs = 15_000;
const waitMs = 12_000;
const pollMs = 50;

/** Creates the tokens of a process. Requests for one token at a time share the work. */
export function createTokens(parts: Parts): Tokens {
	const running = new Map<string, Promise<Answer<Token>>>();
	return {
		get(keys, refusedGeneration) {
			const name = `${keys.credentialId} ${refusedGeneration}`;
			const shared = running.get(name);
			if (shared !== undefined) return shared;
			const one = obtain(parts, keys, refusedGeneration).finally(() => running.delete(name));
			running.set(name, one);
			return one;
		},
	};
}

/**
 * Reads the row, and renews it if it is due and no other process does. While another one renews, the token
 * is used until its end.
 */
async function obtain(parts: Parts, keys: TokenKeys, refusedGeneration?: number): Promise<Answer<Token>> {
	const waitUntil = performance.now() + waitMs;
	for (;;) {
		const { token, leftMs, generation } = await look(parts, keys, refusedGeneration);
		if (token !== undefined && leftMs > renewBeforeMs) return accepted(token, {});
		if (await lease(parts, keys, generation)) return renew(parts, keys);
		if (token !== undefined && leftMs > 0) return accepted(token, {});
		if (performance.now() > waitUntil) return unavailable("another process renews it");
		await sleep(pollMs);
	}
}

const unavailable = (because: string) =>
	refused("token_unavailable", `No access token of the gateway could be fetched: ${because}.`, true);

/** The stored token unless it is the refused one, how long it is valid, and its generation. */
async function look({ db, now, keys: encryption }: Parts, keys: TokenKeys, refusedOne: number | undefined) {
	const stored = await findToken(db, keys);
	const generation = stored?.generation ?? 0;
	return {
		generation,
		token: generation === refusedOne ? undefined : openToken(encryption, keys, stored),
		leftMs: (stored?.expiresAt.getTime() ?? 0) - now().getTime(),
	};
}

const contextOf = ({ credentialId }: TokenOwner) => `treasury|token|${credentialId}`;

/** A token that cannot be decrypted is one that does not exist: it is fetched again. */
function openToken(
	keys: KeyEncryptionKeys,
	owner: TokenOwner,
	stored: StoredToken | undefined,
): Token | undefined {
	if (stored?.token === undefined) return undefined;
	try {
		return { token: unseal(keys, contextOf(owner), stored.token), generation: stored.generation };
	} catch (error) {
		if (error instanceof UnsealFailed) return undefined;
		throw error;
	}
}

function lease({ db, now }: Parts, keys: TokenKeys, generation: number): Promise<boolean> {
	const at = now();
	return leaseToken(db, keys, { generation, now: at, until: new Date(at.getTime() + leaseMs) });
}

/** Fetches and stores a token. The business call was not sent, so every failure is a refusal. */
async function renew(parts: Parts, keys: TokenKeys): Promise<Answer<Token>> {
	const { db, now, keys: encryption } = parts;
	const fetched = await fetchToken(parts.call, keys);
	if (fetched.is !== "accepted") {
		await endLease(db, keys);
		return fetched.is === "refused" ? fetched : unavailable(fetched.because);
	}
	const { token, seconds } = fetched.ids;
	const expiresAt = new Date(now().getTime() + seconds * 1_000);
	const generation = await recordToken(db, keys, {
		token: seal(encryption, contextOf(keys), token),
		expiresAt,
	});
	return accepted({ token, generation }, {});
}

const secondsDefault = 3_600;

/** The answer itself holds the token, so it is not passed on. */
async function fetchToken(
	call: CallGateway,
	{ profile, perSecond, credentialId, consumerKey, consumerSecret }: TokenKeys,
): Promise<Answer<{ token: string; seconds: number }>> {
	const basic = Buffer.from(`${consumerKey}:${consumerSecret}`).toString("base64");
	const answer = await call(
		{
			...{ profile, operation: "token", method: "GET", path: "/oauth/v1/generate" },
			query: { grant_type: "client_credentials" },
			headers: { authorization: `Basic ${basic}` },
			bucket: { key: `token ${credentialId}`, perSecond, isQuery: false },
		},
		readWith((body) => {
			const token = textOf(body, "access_token");
			const seconds = Number(textOf(body, "expires_in") ?? secondsDefault);
			return token === undefined ? undefined : { token, seconds: seconds > 0 ? seconds : secondsDefault };
		}),
	);
	return answer.is === "accepted" ? accepted(answer.ids, {}) : answer;
}
