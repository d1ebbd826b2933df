/**
 * `node tools/jobs.ts <service> list | redrive <id>`: lists the 200 oldest jobs whose last attempt failed, or
 * enqueues one of them again. Uses the service's database from the environment, otherwise that of `npm
 * start`. The service can be running or stopped. `node tools/jobs.ts construction` prints the migration with
 * the tables of the installed pg-boss.
 */
import { redriveDeadJobAudited, type ServiceDefinition } from "@lango/chassis";
import { constructionSql, listDeadJobs } from "@lango/jobs";
import type { Database } from "@lango/postgres";
import { onServiceDatabase, operator } from "./up/service-database.ts";
import { loadService, serviceNames } from "./up/service-names.ts";

const [name = "", verb = "", id = ""] = process.argv.slice(2);
const isVerb = verb === "list" || (verb === "redrive" && id !== "");
const hasJobs = async (one: string) => ((await loadService(one)).jobs?.length ?? 0) > 0;

if (name === "construction") process.stdout.write(constructionSql());
else if (isVerb && serviceNames.includes(name) && (await hasJobs(name)))
	await onServiceDatabase(name, verb === "redrive" ? redrive : list);
else {
	const have = await Promise.all(serviceNames.map(hasJobs));
	const names = serviceNames.filter((_, index) => have[index]);
	console.error(`Usage: node tools/jobs.ts ${names.join("|")} list | redrive <id>`);
	process.exitCode = 1;
}

async function list(db: Database): Promise<void> {
	const { items: dead, nextCursor } = await listDeadJobs(db, { limit: 200 });
	if (dead.length === 0) console.log("There are no dead jobs.");
	for (const { deadId, job, id: about, diedAt, tries, reason } of dead)
		console.log(
			`${deadId}  ${job}  ${about ?? "-"}  since ${diedAt.toISOString()}  ${tries} attempts: ${reason}`,
		);
	if (nextCursor !== undefined) console.log("There are more dead jobs than these.");
}

async function redrive(
	db: Database,
	{ name: service, recordPlatformAction }: ServiceDefinition,
): Promise<void> {
	const failedWork = { service, db, now: () => new Date(), recordPlatformAction };
	const redriven = await redriveDeadJobAudited(failedWork, id, { actor: operator });
	if (redriven === undefined)
		throw new Error(`Dead job ${id} not found. List them: node tools/jobs.ts ${name} list`);
	console.log(
		redriven === "redriven"
			? "It is enqueued again."
			: "Its row already has a queued job. The dead job was removed from the list.",
	);
}
