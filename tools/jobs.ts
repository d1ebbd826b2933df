/**
 * `node tools/jobs.ts <service> list | redrive <id>`: jobs whose last try failed, the oldest hundred of them, and one of
 * them put back into its queue. The database is the environment's, else that of `npm start`, which has to be there.
 * `node tools/jobs.ts construction` prints the migration that makes the tables of the pg-boss installed.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { constructionSql, listDeadJobs, redriveDeadJob } from "@lango/jobs";
import { databaseUrls, openPool, type Pool } from "@lango/postgres";
import { findCluster } from "./postgres/cluster.ts";
import { homeOf } from "./up/bring-up.ts";
import { urlsIn } from "./up/databases.ts";
import { parts } from "./up.ts";

const settingsFile = join(import.meta.dirname, "../.env");
if (existsSync(settingsFile)) process.loadEnvFile(settingsFile);
const services = parts.services.map(({ service }) => service).filter(({ jobs = [] }) => jobs.length > 0);
const [name = "", verb = "", id = ""] = process.argv.slice(2);
const service = services.find((one) => one.name === name);
const isKnown = service !== undefined && (verb === "list" || (verb === "redrive" && id !== ""));

if (name === "construction") process.stdout.write(constructionSql());
else if (isKnown) await answer(service.name);
else {
	const names = services.map((one) => one.name).join("|");
	console.error(`Say what to do: node tools/jobs.ts ${names} list | redrive <id>`);
	process.exitCode = 1;
}

async function answer(of: string): Promise<void> {
	let db: Pool | undefined;
	try {
		db = openPool({ url: addressOf(of), name: "jobs-command", sizeMax: 1 });
		if (verb === "redrive") await redrive(db);
		else await list(db);
	} catch (error) {
		console.error(error instanceof Error ? error.message : error);
		process.exitCode = 1;
	} finally {
		await db?.close();
	}
}

function addressOf(of: string): string {
	const adminUrl = process.env.DATABASE_URL || findCluster(join(homeOf(process.env), "postgres"))?.adminUrl;
	const url = urlsIn(of, process.env).app ?? (adminUrl && databaseUrls(adminUrl, of).app);
	if (!url) throw new Error(`There is no database: run npm start, or set ${of.toUpperCase()}_DATABASE_URL`);
	return url;
}

async function list(db: Pool): Promise<void> {
	const dead = await listDeadJobs(db);
	if (dead.length === 0) console.log("No job is dead.");
	for (const { deadId, job, id: about, diedAt, tries, reason } of dead)
		console.log(`${deadId}  ${job} ${about ?? "-"}  ${diedAt.toISOString()}  ${tries} tries  ${reason}`);
}

async function redrive(db: Pool): Promise<void> {
	const redriven = await redriveDeadJob(db, id);
	if (redriven === undefined)
		throw new Error(`There is no dead job ${id}; see: node tools/jobs.ts ${name} list`);
	console.log(
		redriven === "redriven"
			? "It is in its queue again."
			: "Its row has a job already; this one is laid aside.",
	);
}
