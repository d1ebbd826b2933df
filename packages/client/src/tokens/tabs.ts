import type { ClientConfig, Locks } from "../options/options.ts";
import type { TokenStore } from "./token-store.ts";
import type { Tokens } from "./tokens.ts";

type Message =
	| { kind: "tokens"; tokens: Tokens }
	| { kind: "asking"; sid: string; stale: string | undefined }
	| { kind: "signed_out"; sid: string | undefined };

/** The other tabs of this client in this browser. */
export type Tabs = {
	/** Runs the work under the lock of the session, without a lock if Web Locks are not available. */
	withLock<T>(sid: string, work: () => Promise<T>): Promise<T>;
	/** Requests newer tokens from the other tabs. Received tokens are in the token store when it resolves. */
	requestTokens(sid: string, stale: string | undefined): Promise<void>;
	/** Sends this tab's tokens to the other tabs of its session, and to those whose session has expired. */
	publishTokens(tokens: Tokens): void;
	/** Publishes that the session ended; without a `sid`, that all sessions of this client ended. */
	publishSignOut(sid: string | undefined): void;
	close(): void;
};

/** How long a tab waits for tokens of another tab. */
const responseMilliseconds = 50;
/**
 * How long a tab waits for the lock. Then it refreshes without it; the grace period of the sign-on service
 * allows two refreshes with the same token.
 */
const lockMilliseconds = 20_000;

type TabEvents = {
	/** Called if another tab ends the session, with whether the person signed out there. */
	onSignedOut: (isSignOut: boolean) => void;
	/** Called with the tokens of another session. */
	onOtherSession: (tokens: Tokens) => void;
};

/**
 * Connects the tabs of this client. Tabs with the same `sid` share a session; tabs of different tenants
 * have different sessions.
 */
export function connectTabs(
	config: ClientConfig,
	tokenStore: TokenStore,
	{ onSignedOut, onOtherSession }: TabEvents,
): Tabs {
	const name = `lango:${config.authUrl}:${config.clientId}`;
	const channel = config.channel?.(name);
	let onTokens: () => void = () => {};
	const ownSid = () => tokenStore.sid;
	const post = (message: Message) => channel?.postMessage(message);
	const publishTokens = (tokens: Tokens) => post({ kind: "tokens", tokens });
	const handlers: { [K in Message["kind"]]: (message: Extract<Message, { kind: K }>) => void } = {
		tokens({ tokens }) {
			const { sid } = tokens.claims;
			if (sid === undefined) return;
			if (sid !== ownSid()) return onOtherSession(tokens);
			if (tokens.expiresAt <= (tokenStore.current?.expiresAt ?? 0)) return;
			tokenStore.replace(tokens);
			onTokens();
		},
		asking({ sid, stale }) {
			const { current } = tokenStore;
			if (current !== undefined && current.claims.sid === sid && current.accessToken !== stale)
				publishTokens(current);
		},
		signed_out({ sid }) {
			if (sid === undefined || sid === ownSid()) onSignedOut(sid === undefined);
		},
	};
	channel?.addEventListener("message", (event) => {
		const message = (event as MessageEvent).data as Message;
		(handlers[message.kind] as ((message: Message) => void) | undefined)?.(message);
	});
	return {
		withLock: (sid, work) => runUnderLock(config.locks, `${name}:${sid}`, work),
		async requestTokens(sid, stale) {
			if (channel === undefined || sid === "") return;
			const received = new Promise<void>((resolve) => (onTokens = resolve));
			post({ kind: "asking", sid, stale });
			await Promise.race([received, config.wait(responseMilliseconds)]);
		},
		publishTokens,
		publishSignOut: (sid) => post({ kind: "signed_out", sid }),
		close: () => channel?.close(),
	};
}

async function runUnderLock<T>(locks: Locks | undefined, name: string, work: () => Promise<T>): Promise<T> {
	if (locks === undefined) return work();
	let isLocked = false;
	const begin = () => {
		isLocked = true;
		return work();
	};
	try {
		return await locks.request(name, { signal: AbortSignal.timeout(lockMilliseconds) }, begin);
	} catch (error) {
		if (isLocked) throw error;
		return work(); // The lock timed out or is not available.
	}
}
