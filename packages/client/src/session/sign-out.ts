import { sendRequest } from "../calls/send-request.ts";
import type { ClientContext } from "./context.ts";
import { continuedKey } from "./load-ready.ts";
import type { SessionLoader } from "./load-session.ts";
import { mayEndSession } from "./may-end-session.ts";
import { dropExchange } from "./session-outlet.ts";

/** Sign-out (§5.13): clears all data of the session first, then the sign-on service ends its own session. */
export function createSignOut(
	{ config, tokenStore, tabs, store, outlet }: ClientContext,
	loader: SessionLoader,
) {
	const onClearListeners = new Set<(isSignOut: boolean) => void>();

	/** Clears caches, stores and storage of this tab. Does not notify other tabs. */
	function clear(isSignOut: boolean): void {
		loader.cancel();
		tokenStore.drop();
		tokenStore.authenticatedAt = undefined;
		outlet.clearAll();
		dropExchange(config);
		config.tab.remove(continuedKey(config.clientId));
		for (const listener of [...onClearListeners]) listener(isSignOut);
	}

	/** Ends the session in all tabs; without a `sid`, all sessions of this client. */
	function endEverywhere(isSignOut: boolean, sid: string | undefined): void {
		clear(isSignOut);
		store.set({ status: "redirecting" });
		tabs.publishSignOut(sid);
	}

	/**
	 * Opens the logout of the sign-on service. It ends the sessions of all tenants, so their keys are removed
	 * too.
	 */
	function openLogout(): void {
		for (const storage of [config.storage, config.tab]) storage.removeAll([`lango:${config.clientId}:`]);
		const query = new URLSearchParams({ post_logout_redirect_uri: config.signedOutUri });
		config.navigate(`${config.authUrl}/api/v1/auth/logout?${query}`);
	}

	return {
		/**
		 * Adds a function to call when a session ends, with whether the person signed out. Returns a function
		 * that removes it.
		 */
		onClear(listener: (isSignOut: boolean) => void): () => void {
			onClearListeners.add(listener);
			return () => void onClearListeners.delete(listener);
		},
		/**
		 * Ends the session in this tab without calling the sign-on service: another tab signed out, or the
		 * session was refused.
		 */
		endLocally(isSignOut = false): void {
			clear(isSignOut);
			store.set({ status: "signed_out", ended: true });
		},
		/** Signs the person out. */
		async signOut(): Promise<void> {
			const { current } = tokenStore;
			endEverywhere(true, undefined);
			const headers = { authorization: `Bearer ${current?.accessToken}` };
			if (current !== undefined)
				await sendRequest(config, `${config.authUrl}/api/v1/auth/logout`, {
					method: "POST",
					headers,
					timeoutMilliseconds: 3_000,
				}).catch(() => undefined); // The logout page opened next ends this session as well.
			openLogout();
		},
		/**
		 * Signs out after a 401 that persists after a refresh, except within the grace period of a sign-in. A
		 * page that stays when its session has expired only learns that it has.
		 */
		endSession(): void {
			const { current, authenticatedAt } = tokenStore;
			if (current === undefined) return;
			if (!mayEndSession(store.get(), { authenticatedAt, now: config.now() })) return;
			if (config.staysWhenExpired && store.get().status === "ready") {
				store.change({ isExpired: true });
				return;
			}
			endEverywhere(false, current.claims.sid ?? "");
			openLogout();
		},
	};
}
