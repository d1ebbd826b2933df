import type { ClientState } from "./client-state.ts";

const graceMilliseconds = 15_000;

/**
 * Whether a 401 after a refresh ends the session. It does not while the session is loading, or within 15
 * seconds of the sign-in (§5.13, §8), because services may learn of a new session with a delay.
 */
export function mayEndSession(
	{ status }: Pick<ClientState, "status">,
	{ authenticatedAt, now }: { authenticatedAt: number | undefined; now: number },
): boolean {
	if (status === "loading" || status === "syncing") return false;
	return authenticatedAt === undefined || now - authenticatedAt >= graceMilliseconds;
}
