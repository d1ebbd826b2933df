import type { Treasury } from "../treasury.ts";
import { cancelIfDue } from "./sending/cancel-if-due.ts";

const waitingMs = 14 * 24 * 3_600_000;

/** Since when a payout waits for an approval that is cancelled at an instant: for 14 days. Pure. */
export const waitingSince = (now: Date): Date => new Date(now.getTime() - waitingMs);

/** Cancels a payout that was not approved in time: what it holds is available again. */
export async function expirePayout(domain: Treasury, tenantId: string, payoutId: string): Promise<void> {
	await cancelIfDue(
		domain,
		{ tenantId, payoutId, code: "not_approved" },
		async (_, { status, createdAt }, at) => status === "awaiting_approval" && createdAt < waitingSince(at),
	);
}
