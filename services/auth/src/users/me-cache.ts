import { type Cache, createCache } from "@lango/memory";
import type { Static } from "typebox";
import type { Me } from "./me.ts";

/** A response with the outlet of its session (empty without one) and the expiry of its token. */
type Known = { profile: Static<typeof Me>; outlet: string; until: Date };

/**
 * The responses of `auth/me` by session (spec §4.1: cached per user), until the token expires or the data
 * changes. Nothing is cached until notifications of changes are received.
 */
export type MeCache = Cache<Known>;

const sessionsMax = 10_000;

export const createMeCache = (now: () => Date): MeCache =>
	createCache({
		now,
		sizeMax: sessionsMax,
		maxAgeMs: Number.POSITIVE_INFINITY,
		untilOf: ({ until }) => until.getTime(),
		isListening: false,
	});

/** Invalidates what a notification names: `user:<id>`, `session:<id>` or `tenant:<id>`. */
export function invalidateChanged(meCache: MeCache, changed: string): void {
	const [kind, id = ""] = changed.split(":");
	if (kind === "session") meCache.invalidate(id);
	else if (kind === "user") meCache.invalidateWhere((_sessionId, { profile }) => profile.user_id === id);
	else meCache.invalidateAll();
}
