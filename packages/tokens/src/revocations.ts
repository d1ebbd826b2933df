import type { AccessTokenClaims } from "@lango/contracts";

/** The sessions that ended before their tokens expired, as far as this process received the events. */
export type Revocations = {
	/** Records that a session ended. */
	add(sessionId: string): void;
	/**
	 * Whether the session of a token has ended. Always false for tokens without a session (client credentials).
	 */
	isRevoked(claims: Pick<AccessTokenClaims, "sid">): boolean;
};

/**
 * How long a revocation is kept, in milliseconds: the lifetime of an access token (six hours) plus the clock
 * skew. After that, the token has expired.
 */
export const revocationsKeptMs = (6 * 3_600 + 120) * 1_000;
const sessionsMax = 200_000;

/**
 * Creates an empty set. If it is full, the oldest revocations are evicted first: their tokens expire first.
 */
export function createRevocations({ now }: { now: () => Date }): Revocations {
	const endedAt = new Map<string, number>();
	const forgetOld = () => {
		for (const [sessionId, at] of endedAt) {
			if (endedAt.size <= sessionsMax && now().getTime() - at <= revocationsKeptMs) return;
			endedAt.delete(sessionId);
		}
	};
	return {
		add(sessionId) {
			endedAt.delete(sessionId);
			endedAt.set(sessionId, now().getTime());
			forgetOld();
		},
		isRevoked: ({ sid }) => sid !== undefined && endedAt.has(sid),
	};
}
