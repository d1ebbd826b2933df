import type { ClientState } from "./client-state.ts";

const graceMilliseconds = 15_000;

/**
 * May a 401 that outlived a refresh sign the person out? Not while they are being let in, and not within 15 seconds of having
 * been (§5.13, §8): services may learn of a new session a moment later.
 */
export function mayLogOut(
	{ status }: Pick<ClientState, "status">,
	{ authenticatedAt, now }: { authenticatedAt: number | undefined; now: number },
): boolean {
	if (status === "loading" || status === "syncing") return false;
	return authenticatedAt === undefined || now - authenticatedAt >= graceMilliseconds;
}
