import { openStorm, runStorm } from "./storm.ts";
import { findWrong, type Storm } from "./storm-truth.ts";

/** What the process sends at last. `wrong` are broken rules of the ledger and of the tenants' money. */
export type StormAnswer = { found: Storm; wrong: readonly object[]; seconds: number; memoryMax: number };

/**
 * Runs a storm for the bench of the treasury, and prints how far it is. The argument is the number of bills;
 * `TEST_DATABASE_URL` is the administrator's address of PostgreSQL.
 */
const bills = Number(process.argv[2]);
const till = await openStorm({ shops: 100, hasWorkers: true });
const starts = performance.now();
const seconds = () => Math.round((performance.now() - starts) / 1_000);
const megabytes = (bytes: number) => Math.round(bytes / 1024 / 1024);
const found = await runStorm(till, {
	...{ bills, payers: 32 },
	onProgress: ({ round, what, paid }) => {
		const memory = megabytes(process.memoryUsage.rss());
		console.log(`${seconds()} s: round ${round}, ${paid} of ${bills} bills, ${memory} MB (${what})`);
	},
});
const answer: StormAnswer = {
	...{ found, wrong: await findWrong(till), seconds: seconds() },
	memoryMax: megabytes(process.resourceUsage().maxRSS * 1024),
};
await till.close();
process.send?.(answer);
process.disconnect();
