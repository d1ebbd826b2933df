import { LRUCache } from "lru-cache";
import type { Static } from "typebox";
import type { Me } from "./me.ts";

/** A response with the outlet of its session (empty without one) and the expiry of its token. */
type Known = { profile: Static<typeof Me>; outlet: string; until: Date };

/**
 * The responses of `auth/me` by session (spec §4.1: cached per user), until the token expires or the data
 * changes.
 */
export type MeCache = {
	find(sessionId: string, now: Date): Known | undefined;
	/**
	 * Begins a read. Its result is not cached if a change arrives in the meantime; undefined while no
	 * notifications are received.
	 */
	begin(): ((known: Known, sessionId: string) => void) | undefined;
	/** `user:<id>`, `session:<id>` or `tenant:<id>` changed. */
	forget(changed: string): void;
	/** Sets whether notifications are received; clears the cache in both cases. */
	setListening(isListening: boolean): void;
};

const sessionsMax = 10_000;

export function createMeCache(): MeCache {
	const known = new LRUCache<string, Known>({
		max: sessionsMax,
		dispose: ({ profile }, sessionId) => {
			const sessions = sessionsOf.get(profile.user_id);
			sessions?.delete(sessionId);
			if (sessions?.size === 0) sessionsOf.delete(profile.user_id);
		},
	});
	const sessionsOf = new Map<string, Set<string>>();
	let epoch = 0;
	let isListening = false;

	const keep = (one: Known, sessionId: string) => {
		known.set(sessionId, one);
		const { user_id: userId } = one.profile;
		const sessions = sessionsOf.get(userId) ?? new Set();
		sessionsOf.set(userId, sessions.add(sessionId));
	};

	return {
		find(sessionId, now) {
			const found = known.get(sessionId);
			if (found !== undefined && found.until <= now) known.delete(sessionId);
			return found !== undefined && found.until > now ? found : undefined;
		},
		begin() {
			if (!isListening) return undefined;
			const began = epoch;
			return (one, sessionId) => {
				if (began === epoch && isListening) keep(one, sessionId);
			};
		},
		forget(changed) {
			epoch += 1;
			const [kind, id = ""] = changed.split(":");
			if (kind === "session") known.delete(id);
			else if (kind === "user")
				for (const sessionId of [...(sessionsOf.get(id) ?? [])]) known.delete(sessionId);
			else known.clear();
		},
		setListening(now) {
			epoch += 1;
			isListening = now;
			known.clear();
		},
	};
}
