import { ask } from "../calls/ask.ts";
import { continuedKey } from "./complete-person.ts";
import type { ClientContext } from "./context.ts";
import type { SessionLoader } from "./load-session.ts";
import { mayLogOut } from "./may-log-out.ts";
import { dropExchange } from "./session-outlet.ts";

/** Sign-out (§5.13): clears all data of the session first, then the sign-on service ends its own session. */
export function createSignOut({ config, held, tabs, store, outlet }: ClientContext, loader: SessionLoader) {
	const clearings = new Set<() => void>();

	/** Clears caches, stores and storage of this tab. Does not notify other tabs. */
	function clear(): void {
		loader.cancel();
		held.drop();
		held.authenticatedAt = undefined;
		outlet.forget();
		dropExchange(config);
		config.tab.remove(continuedKey(config.clientId));
		for (const clearing of [...clearings]) clearing();
	}

	/**
	 * Opens the logout of the sign-on service, which ends the sessions of all tenants, so their keys are
	 * removed too.
	 */
	function leave(): void {
		for (const storage of [config.storage, config.tab]) storage.removeAll([`lango:${config.clientId}:`]);
		store.set({ status: "leaving" });
		const query = new URLSearchParams({ post_logout_redirect_uri: config.signedOutUri });
		config.navigate(`${config.authUrl}/api/v1/auth/logout?${query}`);
	}

	return {
		/**
		 * Adds a function that clears a cache or store when a session ends. Returns a function that removes
		 * it.
		 */
		onClear(clearing: () => void): () => void {
			clearings.add(clearing);
			return () => void clearings.delete(clearing);
		},
		/**
		 * Clears all data without calling the sign-on service: another tab signed out, or the session was
		 * refused.
		 */
		forget(): void {
			clear();
			store.set({ status: "signed_out", ended: true });
		},
		/** Signs the person out. */
		async signOut(): Promise<void> {
			const { current } = held;
			clear();
			store.set({ status: "leaving" });
			tabs.tellSignedOut(undefined);
			const headers = { authorization: `Bearer ${current?.accessToken}` };
			if (current !== undefined)
				await ask(config, `${config.authUrl}/api/v1/auth/logout`, {
					method: "POST",
					headers,
					timeoutMilliseconds: 3_000,
				}).catch(() => undefined); // The logout page opened next ends this session as well.
			leave();
		},
		/** Signs out after a 401 that persists after a refresh, except within the grace period of a sign-in. */
		endSession(): void {
			const { current, authenticatedAt } = held;
			if (current === undefined) return;
			if (!mayLogOut(store.get(), { authenticatedAt, now: config.now() })) return;
			clear();
			tabs.tellSignedOut(current.claims.sid ?? "");
			leave();
		},
	};
}
