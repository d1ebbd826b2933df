import type { AccessTokenClaims } from "@lango/contracts";

/** Sessions that were ended before their tokens ran out, as far as this process has heard. */
export type Revocations = {
	/** Remembers that a session ended. */
	add(sessionId: string): void;
	/** Whether a token's session has ended; a token without one (a program's) has nothing to end. */
	isRevoked(claims: Pick<AccessTokenClaims, "sid">): boolean;
};

/** Longer than any access token is taken, in milliseconds (six hours, and the skew): after that its expiry refuses it. */
export const revocationsKeptMs = (6 * 3_600 + 120) * 1_000;
const sessionsMax = 200_000;

/** Makes an empty memory. When it is full the oldest go first: what ended longest ago has the least left to live. */
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
