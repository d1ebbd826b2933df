import type { Database } from "@lango/postgres";
import type { Origin } from "../../audit/origin.ts";
import { endUserSessions as endSome, endUserBrowsers } from "../grant/user-session.store.ts";
import { type EndReason, tellRevoked } from "./end-session.ts";

type Ending = {
	userId: string;
	/** Only those in this tenant. */
	tenantId?: string;
	/** The one that goes on, and the browser it hangs on. */
	exceptSessionId?: string;
	because: EndReason;
	origin: Origin;
};

const atOnce = 500;

/**
 * Ends the sessions of a person and tells of each; those in every tenant when none is named, and then those of their
 * browsers too. Call it in the transaction of what ends them.
 */
export async function endUserSessions(tx: Database, ending: Ending): Promise<void> {
	const { userId, tenantId, exceptSessionId, because, origin } = ending;
	const { now } = origin;
	if (tenantId === undefined) await endUserBrowsers(tx, { userId, exceptSessionId, now });
	for (;;) {
		const ended = await endSome(tx, { userId, tenantId, exceptSessionId, because, now, limit: atOnce });
		await tellRevoked(tx, ended, { now, because, correlationId: origin.requestId });
		if (ended.length < atOnce) return;
	}
}
