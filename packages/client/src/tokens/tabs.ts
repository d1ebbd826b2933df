import type { ClientConfig } from "../options.ts";
import type { HeldTokens } from "./held-tokens.ts";
import type { Tokens } from "./tokens.ts";

/** The part of Web Locks that is used. */
export type Locks = {
	request<T>(name: string, options: { signal?: AbortSignal }, work: () => Promise<T>): Promise<T>;
};

/** The part of BroadcastChannel that is used. */
export type TabChannel = {
	postMessage(message: unknown): void;
	addEventListener(kind: "message", listener: (event: Event) => void): void;
	close(): void;
};

type Message =
	| { kind: "tokens"; sid: string; tokens: Tokens }
	| { kind: "asking"; sid: string; stale: string | undefined }
	| { kind: "signed_out"; sid: string | undefined };

export type Tabs = {
	/** Runs the work while no other tab of the session does its own. Without Web Locks: at once. */
	alone<T>(sid: string, work: () => Promise<T>): Promise<T>;
	/** Asks the other tabs of the session for newer tokens than these; they are held when it resolves. */
	askOthers(sid: string, stale: string | undefined): Promise<void>;
	/** Gives this tab's tokens to the other tabs of its session. */
	tell(tokens: Tokens): void;
	/** Tells the other tabs that the session ended, or without a sid that every session of this client did. */
	tellSignedOut(sid: string | undefined): void;
	close(): void;
};

/** How long another tab has to answer. */
const answerMilliseconds = 50;
/**
 * How long a tab waits for another's refresh; then it asks by itself, and the service's grace answers
 * both alike.
 */
const lockMilliseconds = 20_000;

/** Two tabs belong to one session when their tokens have one `sid`: tabs in two tenants never mix. */
export function joinTabs(config: ClientConfig, held: HeldTokens, onSignedOut: () => void): Tabs {
	const name = `lango:${config.authUrl}:${config.clientId}`;
	const channel = config.channel?.(name);
	let heard: () => void = () => {};
	const sidHere = () => held.stored()?.sid;
	const post = (message: Message) => channel?.postMessage(message);
	const tell = (tokens: Tokens) => post({ kind: "tokens", sid: tokens.claims.sid ?? "", tokens });
	const hear: { [K in Message["kind"]]: (message: Extract<Message, { kind: K }>) => void } = {
		tokens({ sid, tokens }) {
			if (sid === "" || sid !== sidHere() || tokens.expiresAt <= (held.current?.expiresAt ?? 0)) return;
			held.replace(tokens);
			heard();
		},
		asking({ sid, stale }) {
			const { current } = held;
			if (current !== undefined && current.claims.sid === sid && current.accessToken !== stale) tell(current);
		},
		signed_out({ sid }) {
			if (sid === undefined || sid === sidHere()) onSignedOut();
		},
	};
	channel?.addEventListener("message", (event) => {
		const message = (event as MessageEvent).data as Message;
		(hear[message.kind] as ((message: Message) => void) | undefined)?.(message);
	});
	return {
		alone: (sid, work) => underLock(config.locks, `${name}:${sid}`, work),
		async askOthers(sid, stale) {
			if (channel === undefined || sid === "") return;
			const answered = new Promise<void>((resolve) => (heard = resolve));
			post({ kind: "asking", sid, stale });
			await Promise.race([answered, config.wait(answerMilliseconds)]);
		},
		tell,
		tellSignedOut: (sid) => post({ kind: "signed_out", sid }),
		close: () => channel?.close(),
	};
}

async function underLock<T>(locks: Locks | undefined, name: string, work: () => Promise<T>): Promise<T> {
	if (locks === undefined) return work();
	let isOurs = false;
	const begin = () => {
		isOurs = true;
		return work();
	};
	try {
		return await locks.request(name, { signal: AbortSignal.timeout(lockMilliseconds) }, begin);
	} catch (error) {
		if (isOurs) throw error;
		return work(); // The lock could not be had in time, or at all.
	}
}
