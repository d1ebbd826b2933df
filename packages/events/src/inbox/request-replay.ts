import type { Database } from "@lango/postgres";
import { uuidV7Floor } from "../uuid-v7.ts";
import { forgetNotes, forgetVersions } from "./inbox.store.ts";
import { wishReplay } from "./readings.store.ts";

const forgottenAtOnce = 1_000;

/**
 * Has a service read again what it was told since a moment, or from the beginning: whichever of its processes reads does so
 * within seconds. What it has applied has no second effect, unless `again`: then the service forgets what it applied since,
 * and every effect must bear to happen twice. Says how many streams are read again: 0 when the service consumes nothing.
 */
export async function requestReplay(
	db: Database,
	{ service, since = new Date(0), again = false }: { service: string; since?: Date; again?: boolean },
): Promise<number> {
	if (again) {
		await forgetVersions(db, service);
		const wish = { consumer: service, firstId: uuidV7Floor(since), limit: forgottenAtOnce };
		while ((await forgetNotes(db, wish)) === forgottenAtOnce);
	}
	return wishReplay(db, { consumer: service, since });
}
