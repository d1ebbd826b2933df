/**
 * `node tools/jobs.ts <service> list | redrive <id>`: jobs whose last try failed, the oldest two hundred of them, and one of
 * them put back into its queue. The service's database is the one of the environment, else the one of `npm start`; the service
 * may run or not. `node tools/jobs.ts construction` prints the migration that makes the tables of the pg-boss installed.
 */
import { redriveDeadJobAudited, type ServiceDefinition } from "@lango/chassis";
import { constructionSql, listDeadJobs } from "@lango/jobs";
import type { Database } from "@lango/postgres";
import { onServiceDatabase, operator } from "./up/service-database.ts";
import { parts } from "./up.ts";

const [name = "", verb = "", id = ""] = process.argv.slice(2);
const names = parts.services.filter(({ service }) => service.jobs?.length).map(({ service }) => service.name);
const isKnown = names.includes(name) && (verb === "list" || (verb === "redrive" && id !== ""));

if (name === "construction") process.stdout.write(constructionSql());
else if (isKnown) await onServiceDatabase(name, verb === "redrive" ? redrive : list);
else {
	console.error(`Say what to do: node tools/jobs.ts ${names.join("|")} list | redrive <id>`);
	process.exitCode = 1;
}

async function list(db: Database): Promise<void> {
	const { items: dead, nextCursor } = await listDeadJobs(db, { limit: 200 });
	if (dead.length === 0) console.log("No job is dead.");
	for (const { deadId, job, id: about, diedAt, tries, reason } of dead)
		console.log(
			`${deadId}  ${job}  ${about ?? "-"}  since ${diedAt.toISOString()}  ${tries} tries: ${reason}`,
		);
	if (nextCursor !== undefined) console.log("There are more.");
}

async function redrive(
	db: Database,
	{ name: service, recordPlatformAction }: ServiceDefinition,
): Promise<void> {
	const mending = { service, db, now: () => new Date(), recordPlatformAction };
	const redriven = await redriveDeadJobAudited(mending, id, { actor: operator });
	if (redriven === undefined)
		throw new Error(`There is no dead job ${id}; see: node tools/jobs.ts ${name} list`);
	console.log(
		redriven === "redriven"
			? "It is in its queue again."
			: "Its row has a job already; this one is laid aside.",
	);
}
