import { LRUCache } from "lru-cache";
import type { Static } from "typebox";
import type { Me } from "./me.ts";

/** An answer, with the outlet its session had (empty for none) and the end of the token it was given for. */
type Known = { profile: Static<typeof Me>; outlet: string; until: Date };

/** What `auth/me` answered, by session (spec §4.1: cached per user), until the token ends or something it tells of changes. */
export type MeCache = {
	find(sessionId: string, now: Date): Known | undefined;
	/** A reading begun before something changed is not kept; undefined while changes cannot be heard. */
	begin(): ((known: Known, sessionId: string) => void) | undefined;
	/** `user:<id>`, `session:<id>` or `tenant:<id>` changed. */
	forget(changed: string): void;
	/** Whether changes are heard; what is known is forgotten either way. */
	hear(isHearing: boolean): void;
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
	let isHearing = false;

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
			if (!isHearing) return undefined;
			const began = epoch;
			return (one, sessionId) => {
				if (began === epoch && isHearing) keep(one, sessionId);
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
		hear(now) {
			epoch += 1;
			isHearing = now;
			known.clear();
		},
	};
}
