import { ask } from "../calls/ask.ts";
import { continuedKey } from "./complete-person.ts";
import type { Entrance } from "./enter.ts";
import type { Ground } from "./ground.ts";
import { mayLogOut } from "./may-log-out.ts";
import { dropExchange } from "./session-outlet.ts";

/** Ways out (§5.13): whatever was known of the person is cleared first, then the sign-on service ends its own session. */
export function createWaysOut({ means, held, tabs, store, outlet }: Ground, entrance: Entrance) {
	const clearings = new Set<() => void>();

	/** Caches, stores and storage; other tabs are not told. */
	function clear(): void {
		entrance.cancel();
		held.drop();
		held.authenticatedAt = undefined;
		outlet.forget();
		dropExchange(means);
		means.tab.remove(continuedKey(means.clientId));
		for (const clearing of [...clearings]) clearing();
	}

	/** Opens the sign-on's logout, which ends the sessions of every tenant in this browser: their keys go, too. */
	function leave(): void {
		for (const storage of [means.storage, means.tab]) storage.removeAll([`lango:${means.clientId}:`]);
		store.set({ status: "leaving" });
		const query = new URLSearchParams({ post_logout_redirect_uri: means.signedOutUri });
		means.navigate(`${means.authUrl}/api/v1/auth/logout?${query}`);
	}

	return {
		/** Adds something to clear when a session ends: a cache of queries, a store. Answers what takes it back. */
		onClear(clearing: () => void): () => void {
			clearings.add(clearing);
			return () => void clearings.delete(clearing);
		},
		/** Clears everything without calling the sign-on service: another tab signed out, or the session was refused. */
		forget(): void {
			clear();
			store.set({ status: "signed_out", ended: true });
		},
		/** The person wants to go. */
		async signOut(): Promise<void> {
			const { current } = held;
			clear();
			store.set({ status: "leaving" });
			tabs.tellSignedOut(undefined);
			const headers = { authorization: `Bearer ${current?.accessToken}` };
			if (current !== undefined)
				await ask(means, `${means.authUrl}/api/v1/auth/logout`, {
					method: "POST",
					headers,
					timeoutMilliseconds: 3_000,
				}).catch(() => undefined); // The address opened next ends the browser's session, and this one with it.
			leave();
		},
		/** A 401 outlived the refresh: out, unless it is too early to believe it. */
		endSession(): void {
			const { current, authenticatedAt } = held;
			if (current === undefined) return;
			if (!mayLogOut(store.get(), { authenticatedAt, now: means.now() })) return;
			clear();
			tabs.tellSignedOut(current.claims.sid ?? "");
			leave();
		},
	};
}
