import type { PublicOutlet } from "@lango/contracts";
import type { CallOptions } from "./calls/send-request.ts";
import { type ClientOptions, resolveConfig } from "./options/options.ts";
import type { Profile } from "./profile/profile.ts";
import { createCall } from "./session/call.ts";
import type { ClientState } from "./session/client-state.ts";
import { createClientContext } from "./session/context.ts";
import { createSessionLoader } from "./session/load-session.ts";
import { createSession } from "./session/session.ts";
import { createSignIn } from "./session/sign-in.ts";
import { createSignOut } from "./session/sign-out.ts";
import { createStream, type StreamOptions } from "./streams/open-stream.ts";
import type { SignInOptions } from "./tokens/code-flow.ts";

/** The session of one person in one tab, and calls to services with it. */
export type Client = {
	/** The state; the same object until it changes. */
	getState(): ClientState;
	/** Calls the listener after each change. Returns a function that unsubscribes. */
	subscribe(listener: () => void): () => void;
	/** Restores a stored session, of `tenant` if given. Does nothing if there is a session. */
	start(options?: { tenant?: string }): Promise<void>;
	/** Leaves the page for the sign-on service. */
	signIn(options?: SignInOptions): Promise<void>;
	/** Completes a sign-in from the callback's address. Returns the path to open next. Throws ClientError. */
	completeSignIn(address?: string): Promise<string>;
	/** Selects the outlet of the session, also another one in the state `ready`. Throws ClientError. */
	selectOutlet(outletId: string): Promise<void>;
	/** Lists the outlets to which the person may switch in the state `ready`. Throws ClientError. */
	switchableOutlets(): Promise<readonly PublicOutlet[]>;
	/**
	 * Lists the tenant's outlets without archived ones, the last used first. In the state `choosing_outlet`
	 * and without `tenantSlug`, lists only the outlets that may be selected.
	 */
	listOutlets(tenantSlug?: string): Promise<readonly PublicOutlet[]>;
	/** The last used outlets of a tenant in this browser, the latest first. */
	lastUsedOutletIds(tenantSlug: string): readonly string[];
	/**
	 * Selects the outlet of this front end; `all` where the scope is `all`. Throws ClientError
	 * `outlet_forbidden` outside the scope.
	 */
	chooseOutlet(outletId: string): void;
	/** Calls a service; see CallOptions. Throws ClientError. */
	call<T = unknown>(path: string, options?: CallOptions): Promise<T>;
	/**
	 * Opens a stream of server-sent events and keeps it open, with the session's token in a header: it is
	 * opened again after each end, from the last event on, until the session ends. A client has one stream; a
	 * new one closes it. Returns a function that closes the stream.
	 */
	stream(path: string, options: StreamOptions): () => void;
	/** Retries after the state `failed`. */
	retry(): Promise<void>;
	/** The profile, reloaded if it is older than `profileMaxAgeSeconds`. Throws ClientError. */
	freshProfile(): Promise<Profile>;
	/**
	 * Reloads the profile, the subscription and the outlet in the background if they are older than
	 * `profileMaxAgeSeconds`. Call it when the person returns to the page or opens another one. A failure
	 * leaves the state unchanged.
	 */
	reloadIfStale(): void;
	/** Fetches new tokens and a new profile, for example after an upgrade or a change of roles. */
	renew(): Promise<void>;
	/** Fetches the subscription again. */
	checkSubscription(): Promise<void>;
	/** Continues without an active subscription where that is allowed. Stored for the tab. */
	continueUnsubscribed(): void;
	/** Records that the profile page was shown after an approval. */
	acknowledgeApproval(): void;
	signOut(): Promise<void>;
	/**
	 * Adds a function to call when a session ends, with whether the person signed out, here or in another tab.
	 * Returns a function that removes it.
	 */
	onClear(listener: (isSignOut: boolean) => void): () => void;
	/** Stops polling, closes the stream and disconnects from other tabs. */
	close(): void;
};

/**
 * Creates a client. It sends no request before `start`, `signIn` or `completeSignIn`. Throws an Error for an
 * invalid address.
 */
export function createClient(options: ClientOptions): Client {
	const config = resolveConfig(options);
	const context = createClientContext(config, {
		onSignedOut: (isSignOut) => endLocally(isSignOut),
		// A failed reload is repeated by `reloadIfStale`.
		onRenewed: () => void loader.reload().catch(() => undefined),
	});
	const loader = createSessionLoader(context);
	const { endLocally, endSession, signOut, onClear } = createSignOut(context, loader);
	const { start, restart, signIn, completeSignIn, selectOutlet } = createSignIn(context, loader, endLocally);
	const { dropOutlet, ...session } = createSession(context, loader, endLocally);
	const { store, tabs, tokenStore } = context;
	const { stream, closeStream } = createStream({ ...context, onRefused: endSession, onClear });
	return {
		getState: store.get,
		subscribe: store.subscribe,
		start,
		signIn,
		completeSignIn,
		selectOutlet,
		...session,
		call: createCall({ ...context, onRefused: endSession, onOutletRefused: dropOutlet }),
		stream,
		async retry() {
			if (store.get().status !== "failed") return;
			if (tokenStore.current === undefined) await restart();
			else await loader.load();
		},
		signOut,
		onClear,
		close() {
			loader.cancel();
			closeStream();
			tabs.close();
		},
	};
}
