/**
 * `node tools/refused-events.ts <service> list | discard <id>`: the events of a service that the bus refuses.
 * Each is retried automatically at least once a minute, and delays the later events of its subject. `discard`
 * drops an event that the bus will never accept, and continues with the later ones. Uses the service's
 * database from the environment, otherwise that of `npm start`. The service can be running or stopped.
 */
import { discardRefused } from "@lango/chassis";
import { listRefusedEvents } from "@lango/events";
import type { Database } from "@lango/postgres";
import { onServiceDatabase, operator } from "./up/service-database.ts";

const [name = "", verb = "", id = ""] = process.argv.slice(2);
if (verb !== "list" && !(verb === "discard" && id !== "")) {
	console.error("Usage: node tools/refused-events.ts <service> list | discard <id>");
	process.exit(1);
}

await onServiceDatabase(name, async (db, { name: service, recordPlatformAction }) => {
	if (verb === "list") return print(db);
	const failedWork = { service, db, now: () => new Date(), recordPlatformAction };
	if (!(await discardRefused(failedWork, id, { actor: operator })))
		throw new Error(
			`${service} has no refused event ${id}. List them: node tools/refused-events.ts ${service} list`,
		);
	console.log("Discarded. The events behind it are published within a second.");
});

async function print(db: Database): Promise<void> {
	let cursor: string | undefined;
	let count = 0;
	do {
		const page = await listRefusedEvents(db, { cursor, limit: 200 });
		for (const { id: event, type, subject, recordedAt, attempts, waiting } of page.items)
			console.log(
				`${event}  ${type}  ${subject}  of ${recordedAt.toISOString()}  refused ${attempts} times, ${waiting} waiting behind it`,
			);
		count += page.items.length;
		cursor = page.nextCursor;
	} while (cursor !== undefined);
	if (count === 0) console.log("There are no refused events.");
}
