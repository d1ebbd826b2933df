/**
 * `node tools/republish.ts <service> --since 2026-03-01T12:00:00Z`: has a service tell again what it told since a moment, for a bus
 * that lost it or dropped it before it was read. Who applied it before applies it no second time. What is older than seven days is
 * in no outbox any more. The service's database is the one of the environment, else the one of `npm start`.
 */
import { parseArgs } from "node:util";
import { republishEvents } from "@lango/events";
import { onServiceDatabase } from "./up/service-database.ts";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { since: { type: "string" } } });
const [name = ""] = positionals;
const since = new Date(values.since ?? "");
if (name === "" || Number.isNaN(since.getTime())) {
	console.error("Say what to tell again: node tools/republish.ts <service> --since <time>");
	process.exit(1);
}

await onServiceDatabase(name, async (db, { name: service }) => {
	const count = await republishEvents(db, { since });
	console.log(
		count === 0
			? `${service} has told nothing since then.`
			: `${service} tells ${count} ${count === 1 ? "event" : "events"} again, in order, as soon as it runs.`,
	);
});
