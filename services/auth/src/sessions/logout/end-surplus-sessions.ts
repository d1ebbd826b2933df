import type { Dependencies } from "../../dependencies.ts";
import { endSurplusSessions as endSurplus, exceedsSessionLimit } from "../grant/session-limit.store.ts";
import { announceRevoked } from "./end-session.ts";

type Needs = Pick<Dependencies, "db" | "log">;
type Person = { userId: string; now: Date; correlationId: string };

/**
 * Ends the least recently used sessions of a person beyond the limit (decision 0010), with one event for
 * each client session. Call it after the transaction that opened a session and found the limit exceeded. A
 * failure is logged: the session is recorded, and the next one that is opened ends the surplus.
 */
export const endSurplusSessions = (needs: Needs, person: Person): Promise<void> =>
	logged(needs, person, () => end(needs, person));

/** The same where the transaction did not count: counts first. */
export const limitSessions = (needs: Needs, person: Person): Promise<void> =>
	logged(needs, person, async () => {
		if (await exceedsSessionLimit(needs.db, person)) await end(needs, person);
	});

const end = ({ db }: Needs, { userId, now, correlationId }: Person): Promise<void> =>
	db.transaction(async (tx) => {
		const because = "session_limit";
		const ended = await endSurplus(tx, { userId, now, because });
		await announceRevoked(tx, ended, { now, because, correlationId });
	});

async function logged(
	{ log }: Needs,
	{ userId, correlationId }: Person,
	work: () => Promise<void>,
): Promise<void> {
	try {
		await work();
	} catch (err) {
		log.warn({ err, user_id: userId, reqId: correlationId }, "surplus sessions not ended");
	}
}
