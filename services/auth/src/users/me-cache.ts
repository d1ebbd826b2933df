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
	const known = new Map<string, Known>();
	const sessionsOf = new Map<string, Set<string>>();
	let epoch = 0;
	let isHearing = false;

	const drop = (sessionId: string) => {
		const userId = known.get(sessionId)?.profile.user_id;
		known.delete(sessionId);
		if (userId === undefined) return;
		const sessions = sessionsOf.get(userId);
		sessions?.delete(sessionId);
		if (sessions?.size === 0) sessionsOf.delete(userId);
	};
	const clear = () => {
		known.clear();
		sessionsOf.clear();
	};
	const keep = (one: Known, sessionId: string) => {
		drop(sessionId);
		known.set(sessionId, one);
		const { user_id: userId } = one.profile;
		const sessions = sessionsOf.get(userId) ?? new Set();
		sessionsOf.set(userId, sessions.add(sessionId));
		const oldest = known.size > sessionsMax ? known.keys().next().value : undefined;
		if (oldest !== undefined) drop(oldest);
	};

	return {
		find(sessionId, now) {
			const found = known.get(sessionId);
			if (found !== undefined && found.until <= now) drop(sessionId);
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
			if (kind === "session") drop(id);
			else if (kind === "user") for (const sessionId of [...(sessionsOf.get(id) ?? [])]) drop(sessionId);
			else clear();
		},
		hear(now) {
			epoch += 1;
			isHearing = now;
			clear();
		},
	};
}
