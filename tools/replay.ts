/**
 * `node tools/replay.ts <service> [--since 2026-03-01T12:00:00Z] [--again]`: makes a service read its event
 * streams again, from a time or from the beginning. Applied events have no second effect, unless `--again` is
 * given. Uses the service's database from the environment, otherwise that of `npm start`. A stopped service
 * reads the streams when it starts.
 */
import { parseArgs } from "node:util";
import { requestReplay } from "@lango/events";
import { onServiceDatabase } from "./up/service-database.ts";

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: { since: { type: "string" }, again: { type: "boolean", default: false } },
});
const [name = ""] = positionals;
const since = new Date(values.since ?? 0);
if (name === "" || Number.isNaN(since.getTime())) {
	console.error("Usage: node tools/replay.ts <service> [--since <time>] [--again]");
	process.exit(1);
}

await onServiceDatabase(name, async (db, { name: service }) => {
	const streams = await requestReplay(db, { service, since, again: values.again });
	if (streams === 0) throw new Error(`${service} has not subscribed to any event yet`);
	console.log(`${service} reads ${streams} ${streams === 1 ? "stream" : "streams"} again within seconds.`);
});
