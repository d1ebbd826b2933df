import type { Database } from "@lango/postgres";
import type { Origin } from "../../audit/origin.ts";
import {
	endMemberSessions,
	endUserSessions as endSome,
	endUserBrowsers,
} from "../grant/user-session.store.ts";
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

const atOnce = 500;

/**
 * Ends the sessions of a user and records an event for each. Without a tenant it ends those in every tenant
 * and the browser sessions. Call it in the transaction of the change that ends them.
 */
export async function endUserSessions(tx: Database, ending: Ending): Promise<void> {
	const { userId, tenantId, exceptSessionId, because, origin } = ending;
	const { now } = origin;
	if (tenantId === undefined) await endUserBrowsers(tx, { userId, exceptSessionId, now });
	for (;;) {
		const some = { userId, exceptSessionId, because, now, limit: atOnce };
		const ended = await (tenantId === undefined
			? endSome(tx, some)
			: endMemberSessions(tx, { ...some, tenantId }));
		await announceRevoked(tx, ended, { now, because, correlationId: origin.requestId });
		if (ended.length < atOnce) return;
	}
}
