import { type Found, type Progress, runStorm } from "./storm.ts";
import { openStorm } from "./storm-till.ts";

/** How far a storm is, and the processor time of the process that plays people and operators. */
export type Passed = Progress & { seconds: number; driverSeconds: number };
/** What the process sends: how far it is, and at last what it found. */
export type StormMessage = { passed: Passed } | { found: Found; seconds: number };

/**
 * Runs a storm for the bench of the treasury, and prints how far it is. The argument is the number of bills;
 * `TEST_DATABASE_URL` is the administrator's address of PostgreSQL.
 */
const bills = Number(process.argv[2]);
const till = await openStorm({ shops: 100 });
const starts = performance.now();
const secondsNow = () => Math.round((performance.now() - starts) / 1_000);
const send = (message: StormMessage) => process.send?.(message);
const found = await runStorm(till, {
	...{ bills, payers: 32, kills: 2 },
	onProgress: (progress) => {
		const { round, what, paid, kills } = progress;
		console.log(`${secondsNow()} s: round ${round}, ${paid} of ${bills} bills, ${kills} kills (${what})`);
		const { user, system } = process.cpuUsage();
		send({ passed: { ...progress, seconds: secondsNow(), driverSeconds: (user + system) / 1e6 } });
	},
});
const seconds = secondsNow();
send({ found, seconds });
await till.close();
process.disconnect();
