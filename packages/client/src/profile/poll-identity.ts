import { ClientError } from "../calls/client-error.ts";
import type { ClientConfig } from "../options/options.ts";
import type { Tokens } from "../tokens/tokens.ts";
import { loadIdentity, mayRetryProfile, requestIdentity } from "./load-profile.ts";
import { type Identity, isPending } from "./profile.ts";

/** After a sign-in: up to 10 attempts at intervals of 1.5 s, 15 s in total (§8). */
const limits = { attemptsMax: 10, intervalMilliseconds: 1_500, totalMilliseconds: 15_000 } as const;
/** While the person waits for approval (§3). */
const pendingIntervalMilliseconds = 15_000;

/**
 * Polls the identity until it exists. Waits longer where the service sends Retry-After. Throws ClientError:
 * 401 and 403 without a retry, `sync_timed_out` after 15 s.
 */
export async function pollIdentity(config: ClientConfig, tokens: Tokens): Promise<Identity> {
	const begin = config.now();
	const left = () => begin + limits.totalMilliseconds - config.now();
	let cause: unknown;
	for (let attempt = 1; attempt <= limits.attemptsMax && left() > 0; attempt += 1) {
		const sentAt = config.now();
		let delay: number = limits.intervalMilliseconds;
		try {
			const identity = await requestIdentity(config, tokens, Math.min(config.timeoutMilliseconds, left()));
			if (identity !== undefined) return identity;
		} catch (error) {
			if (!mayRetryProfile(0, error)) throw error;
			cause = error;
			delay = Math.max(delay, retryAfterMilliseconds(error));
		}
		await config.wait(Math.max(0, Math.min(sentAt + delay - config.now(), left())));
	}
	throw new ClientError("sync_timed_out", { cause });
}

const retryAfterMilliseconds = (error: unknown) =>
	1_000 * ((error instanceof ClientError ? error.retryAfterSeconds : undefined) ?? 0);

/**
 * Polls the identity every 15 s until its status is no longer pending. Returns undefined once `isCurrent`
 * is false. A failed request is retried at the next interval, except for 401 and 403, which are thrown as
 * ClientError.
 */
export async function awaitApproval(
	config: ClientConfig,
	getTokens: () => Promise<Tokens>,
	isCurrent: () => boolean,
): Promise<Identity | undefined> {
	while (isCurrent()) {
		await config.wait(pendingIntervalMilliseconds);
		if (!isCurrent()) return undefined;
		const identity = await tryLoadIdentity(config, getTokens);
		if (identity !== undefined && !isPending(identity)) return identity;
	}
	return undefined;
}

async function tryLoadIdentity(
	config: ClientConfig,
	getTokens: () => Promise<Tokens>,
): Promise<Identity | undefined> {
	try {
		return await loadIdentity(config, await getTokens());
	} catch (error) {
		if (!mayRetryProfile(0, error)) throw error;
		return undefined; // The state stays pending until the next interval.
	}
}
