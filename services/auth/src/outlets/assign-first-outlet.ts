import { enqueueJob } from "@lango/jobs";
import { type Database, inTenant } from "@lango/postgres";
import type { Dependencies } from "../dependencies.ts";
import { announceUser } from "../members/announce-user.ts";
import { lockMembership } from "../members/member.store.ts";
import { assignOutlet, listAssigned } from "./outlet-assignment.store.ts";

/** The job that publishes the events of an assignment: see `outlet.jobs.ts`. */
export const announceAssignedName = "outlets.announce-assigned";

const atOnce = 100;

/**
 * Assigns the only outlet of a tenant to its members before a second one is active, so that no member loses
 * access: with one active outlet every member has access to it, with several only the members it is
 * assigned to. Members with the role `member` alone are customers and get none. Open invitations without
 * outlets get it too. The events follow by a job, some members at a time. Call it in the transaction that
 * activates the second outlet, after that, with the tenant locked. Answers how many members got it.
 */
export async function assignFirstOutlet(
	tx: Database,
	{ tenantId, outletId, now }: { tenantId: string; outletId: string; now: Date },
): Promise<number> {
	const count = await assignOutlet(tx, { tenantId, outletId, now });
	if (count > 0) await enqueueJob(tx, { name: announceAssignedName }, { id: outletId, tenantId });
	return count;
}

/** Publishes the state of each member who has an outlet, one transaction per batch. Idempotent. */
export async function announceAssigned(
	{ db }: Pick<Dependencies, "db">,
	{ tenantId, outletId, now, signal }: { tenantId: string; outletId: string; now: Date; signal: AbortSignal },
): Promise<void> {
	for (let after: string | undefined; ; ) {
		signal.throwIfAborted();
		const last = await inTenant(db, tenantId, async (tx) => {
			const userIds = await listAssigned(tx, { tenantId, outletId, after, limit: atOnce });
			for (const userId of userIds) {
				await lockMembership(tx, { tenantId, userId });
				await announceUser(tx, { userId, tenantId, origin: { now } });
			}
			return userIds.length < atOnce ? undefined : userIds.at(-1);
		});
		if (last === undefined) return;
		after = last;
	}
}
