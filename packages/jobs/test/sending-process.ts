import { startJobs } from "@lango/jobs";
import { openPool } from "@lango/postgres";
import { sending } from "./trial.ts";

/**
 * A process that starts jobs and never completes them. It prints a dot for each. Its argument is the database
 * URL.
 */
const url = process.argv[2] ?? "";
const db = openPool({ url, name: "sending", sizeMax: 2 });
const job = sending(async () => {
	process.stdout.write(".");
	await new Promise(() => {});
});
await startJobs({
	service: "sending",
	url,
	db,
	jobs: [job],
	dependencies: { db },
	now: () => new Date(),
	onError: (error) => process.stderr.write(`${error}\n`),
	timings: { heartbeatSeconds: 10, watchSeconds: 1, pollSeconds: 0.5 },
});
