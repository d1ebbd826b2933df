/**
 * `node tools/refused-events.ts <service> list | discard <id>`: the events of a service that the bus refuses. Each is tried again by
 * itself, at least once a minute, and holds those of its subject back; `discard` gives one up that will never be taken, and lets
 * those behind it go. The service's database is the one of the environment, else the one of `npm start`; the service may run or not.
 */
import { discardRefused } from "@lango/chassis";
import { listRefusedEvents } from "@lango/events";
import type { Database } from "@lango/postgres";
import { onServiceDatabase, operator } from "./up/service-database.ts";

const [name = "", verb = "", id = ""] = process.argv.slice(2);
if (verb !== "list" && !(verb === "discard" && id !== "")) {
	console.error("Say what to do: node tools/refused-events.ts <service> list | discard <id>");
	process.exit(1);
}

await onServiceDatabase(name, async (db, { name: service, recordPlatformAction }) => {
	if (verb === "list") return print(db);
	const mending = { service, db, now: () => new Date(), recordPlatformAction };
	if (!(await discardRefused(mending, id, { actor: operator })))
		throw new Error(
			`${service} has no refused event ${id}; see: node tools/refused-events.ts ${service} list`,
		);
	console.log("It is given up; those behind it go out within a second.");
});

async function print(db: Database): Promise<void> {
	let cursor: string | undefined;
	let count = 0;
	do {
		const page = await listRefusedEvents(db, { cursor, limit: 200 });
		for (const { id: event, type, subject, recordedAt, attempts, waiting } of page.items)
			console.log(
				`${event}  ${type}  ${subject}  of ${recordedAt.toISOString()}  refused ${attempts} times, ${waiting} wait behind it`,
			);
		count += page.items.length;
		cursor = page.nextCursor;
	} while (cursor !== undefined);
	if (count === 0) console.log("The bus has refused none of the events that wait.");
}
