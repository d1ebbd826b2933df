import type { Database } from "@lango/postgres";
import type { Origin } from "../../audit/origin.ts";
import { endSessions, endUserBrowsers, listTenantsOfClient } from "../grant/user-session.store.ts";
import { announceRevoked, type EndReason } from "./end-session.ts";

type Ending = {
	userId: string;
	/** Only the sessions in this tenant, if defined; the transaction is inside it. */
	tenantId?: string;
	/** The session that does not end, nor does its browser session. */
	exceptSessionId?: string;
	because: EndReason;
	origin: Origin;
};

/**
 * Ends the sessions of a user and records an event for each. Without a tenant it ends those in every tenant
 * and the browser sessions. Call it in the transaction of the change that ends them, and without a tenant
 * before that transaction writes rows of tenants.
 */
export async function endUserSessions(tx: Database, ending: Ending): Promise<void> {
	const { userId, tenantId, exceptSessionId, because, origin } = ending;
	const tenantIds =
		tenantId === undefined
			? await endUserBrowsers(tx, { userId, exceptSessionId, now: origin.now })
			: [tenantId];
	await endIn(tx, tenantIds, { target: { userId, exceptSessionId }, because, origin });
}

/**
 * Ends the sessions of a client in every tenant, by the id of its row, and records an event for each. Call it
 * in the transaction of the change that ends them, before that transaction writes rows of tenants.
 */
export async function endClientSessions(
	tx: Database,
	{ id, because, origin }: { id: string; because: EndReason; origin: Origin },
): Promise<void> {
	const tenantIds = await listTenantsOfClient(tx, { id, now: origin.now });
	await endIn(tx, tenantIds, { target: { clientId: id }, because, origin });
}

type SessionsOf = { userId: string; exceptSessionId: string | undefined } | { clientId: string };
const atOnce = 500;

/** Ends the sessions tenant by tenant: a cluster changes rows of several tenants on several nodes. */
async function endIn(
	tx: Database,
	tenantIds: readonly string[],
	{ target, because, origin }: { target: SessionsOf; because: EndReason; origin: Origin },
): Promise<void> {
	const { now, requestId: correlationId } = origin;
	for (const tenantId of tenantIds)
		for (;;) {
			const ended = await endSessions(tx, { ...target, tenantId, because, now, limit: atOnce });
			await announceRevoked(tx, ended, { now, because, correlationId });
			if (ended.length < atOnce) break;
		}
}
