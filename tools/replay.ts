/**
 * `node tools/replay.ts <service> [--since 2026-03-01T12:00:00Z] [--again]`: has a service read again what it was told, from a
 * moment or from the beginning. What it applied has no second effect; with `--again` it has, for what happened since. The
 * service's database is the one of the environment, else the one of `npm start`; a service that does not run reads when it does.
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
	console.error("Say what to read again: node tools/replay.ts <service> [--since <time>] [--again]");
	process.exit(1);
}

await onServiceDatabase(name, async (db, { name: service }) => {
	const streams = await requestReplay(db, { service, since, again: values.again });
	if (streams === 0) throw new Error(`${service} has not asked for any event yet`);
	console.log(`${service} reads ${streams} ${streams === 1 ? "stream" : "streams"} again within seconds.`);
});
