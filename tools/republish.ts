/**
 * `node tools/republish.ts <service> --since 2026-03-01T12:00:00Z`: has a service publish again the events since a moment, for a bus
 * that lost or dropped them before they were read. A consumer that applied an event does not apply it again. The outbox keeps seven days,
 * so older events cannot be published again. The audit log records it. The service's database is the one of the environment, else the one of `npm start`.
 */
import { parseArgs } from "node:util";
import { republishSince } from "@lango/chassis";
import { onServiceDatabase, operator } from "./up/service-database.ts";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { since: { type: "string" } } });
const [name = ""] = positionals;
const since = new Date(values.since ?? "");
if (name === "" || Number.isNaN(since.getTime())) {
	console.error("Name the service and the time: node tools/republish.ts <service> --since <time>");
	process.exit(1);
}

await onServiceDatabase(name, async (db, { name: service, recordPlatformAction }) => {
	const mending = { service, db, now: () => new Date(), recordPlatformAction };
	const count = await republishSince(mending, since, { actor: operator });
	console.log(
		count === 0
			? `${service} has published nothing since then.`
			: `${service} publishes ${count} ${count === 1 ? "event" : "events"} again, in order, as soon as it runs.`,
	);
});
