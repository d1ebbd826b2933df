import type { Database } from "@lango/postgres";
import { uuidV7Floor } from "../uuid-v7.ts";
import { forgetNotes, forgetVersions } from "./inbox.store.ts";
import { recordReplayRequest } from "./readings.store.ts";

const forgottenAtOnce = 1_000;

/**
 * Makes a service read its streams again from a time, or from the beginning. The reading process starts
 * within seconds. Events that were applied already are ignored, unless `again` is set: then the inbox entries
 * since that time are removed, and every effect must tolerate to happen twice. Returns the number of streams,
 * 0 if the service consumes none.
 */
export async function requestReplay(
	db: Database,
	{ service, since = new Date(0), again = false }: { service: string; since?: Date; again?: boolean },
): Promise<number> {
	if (again) {
		await forgetVersions(db, service);
		const query = { consumer: service, firstId: uuidV7Floor(since), limit: forgottenAtOnce };
		while ((await forgetNotes(db, query)) === forgottenAtOnce);
	}
	return recordReplayRequest(db, { consumer: service, since });
}
