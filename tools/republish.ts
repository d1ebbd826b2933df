/**
 * `node tools/republish.ts <service> --since 2026-03-01T12:00:00Z`: makes a service publish the events since
 * a time again, after the bus lost them before they were read. A consumer does not apply an event twice. The
 * outbox keeps events for seven days; older ones cannot be published again. The audit log records the
 * command. Uses the service's database from the environment, otherwise that of `npm start`.
 */
import { parseArgs } from "node:util";
import { republishSince } from "@lango/chassis";
import { onServiceDatabase, operator } from "./up/service-database.ts";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { since: { type: "string" } } });
const [name = ""] = positionals;
const since = new Date(values.since ?? "");
if (name === "" || Number.isNaN(since.getTime())) {
	console.error("Usage: node tools/republish.ts <service> --since <time>");
	process.exit(1);
}

await onServiceDatabase(name, async (db, { name: service, recordPlatformAction }) => {
	const failedWork = { service, db, now: () => new Date(), recordPlatformAction };
	const count = await republishSince(failedWork, since, { actor: operator });
	console.log(
		count === 0
			? `${service} has published nothing since then.`
			: `${service} publishes ${count} ${count === 1 ? "event" : "events"} again, in order, as soon as it runs.`,
	);
});
