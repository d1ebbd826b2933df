import { ClientError } from "../calls/client-error.ts";
import type { ClientConfig } from "../options.ts";
import type { Tokens } from "../tokens/tokens.ts";
import { askIdentity, loadIdentity, mayRetryProfile } from "./load-profile.ts";
import { type Identity, isPending } from "./profile.ts";

/** The bridge asks up to 10 times, every 1.5 s, for 15 s in all (§8). */
const bridge = { attemptsMax: 10, intervalMilliseconds: 1_500, totalMilliseconds: 15_000 } as const;
/** Who waits for approval is asked about every 15 s (§3). */
const pendingIntervalMilliseconds = 15_000;

/**
 * Asks for the identity until it is there, later where the service asks to wait. Throws ClientError: 401
 * and 403 at once, `sync_timed_out` after 15 s.
 */
export async function crossBridge(config: ClientConfig, tokens: Tokens): Promise<Identity> {
	const begin = config.now();
	const left = () => begin + bridge.totalMilliseconds - config.now();
	let cause: unknown;
	for (let attempt = 1; attempt <= bridge.attemptsMax && left() > 0; attempt += 1) {
		const asked = config.now();
		let pause: number = bridge.intervalMilliseconds;
		try {
			const identity = await askIdentity(config, tokens, Math.min(config.timeoutMilliseconds, left()));
			if (identity !== undefined) return identity;
		} catch (error) {
			if (!mayRetryProfile(0, error)) throw error;
			cause = error;
			pause = Math.max(pause, pauseOf(error));
		}
		await config.wait(Math.max(0, Math.min(asked + pause - config.now(), left())));
	}
	throw new ClientError("sync_timed_out", { cause });
}

/** How long the service asks to wait, by its Retry-After. */
const pauseOf = (error: unknown) =>
	1_000 * ((error instanceof ClientError ? error.retryAfterSeconds : undefined) ?? 0);

/**
 * Asks every 15 s until the person's status is no longer pending, and answers who they are then;
 * undefined when `isLive` says that nobody waits any more. A question that failed is asked again at the
 * next interval. Throws ClientError on 401 and 403.
 */
export async function awaitApproval(
	config: ClientConfig,
	getTokens: () => Promise<Tokens>,
	isLive: () => boolean,
): Promise<Identity | undefined> {
	while (isLive()) {
		await config.wait(pendingIntervalMilliseconds);
		if (!isLive()) return undefined;
		const identity = await askOnce(config, getTokens);
		if (identity !== undefined && !isPending(identity)) return identity;
	}
	return undefined;
}

async function askOnce(
	config: ClientConfig,
	getTokens: () => Promise<Tokens>,
): Promise<Identity | undefined> {
	try {
		return await loadIdentity(config, await getTokens());
	} catch (error) {
		if (!mayRetryProfile(0, error)) throw error;
		return undefined; // The page goes on saying that approval is awaited, which is still so.
	}
}
