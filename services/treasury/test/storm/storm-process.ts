import { type Found, type Progress, runStorm } from "./storm.ts";
import { openStorm } from "./storm-till.ts";

/** What the process sends at last, with how far it was at each report. */
export type StormReport = { found: Found; seconds: number; passed: Array<Progress & { seconds: number }> };

/**
 * Runs a storm for the bench of the treasury, and prints how far it is. The argument is the number of bills;
 * `TEST_DATABASE_URL` is the administrator's address of PostgreSQL.
 */
const bills = Number(process.argv[2]);
const till = await openStorm({ shops: 100 });
const starts = performance.now();
const secondsNow = () => Math.round((performance.now() - starts) / 1_000);
const passed: StormReport["passed"] = [];
const found = await runStorm(till, {
	...{ bills, payers: 32, kills: 1 },
	onProgress: (progress) => {
		const { round, what, paid, kills, webhooks, service, sandboxes } = progress;
		const memory = `service ${service.memoryMb} MB, sandboxes ${sandboxes.memoryMb} MB`;
		const counted = `${paid} of ${bills} bills, ${webhooks} webhooks, ${kills} kills`;
		console.log(`${secondsNow()} s: round ${round}, ${counted}, ${memory} (${what})`);
		passed.push({ ...progress, seconds: secondsNow() });
	},
});
const report: StormReport = { found, seconds: secondsNow(), passed };
await till.close();
process.send?.(report);
process.disconnect();
