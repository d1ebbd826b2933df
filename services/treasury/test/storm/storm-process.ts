import { once } from "node:events";
import { type Found, type Progress, runStorm } from "./storm.ts";
import { openStorm } from "./storm-till.ts";

/** How far a storm is, and what the process used that plays people and operators. */
export type Passed = Progress & { seconds: number; driverSeconds: number; driverMb: number };
/** What the process sends: how far it is, and at last what it found. */
export type StormMessage = { passed: Passed } | { found: Found; seconds: number };

/**
 * Runs a storm for the bench of the treasury, and prints how far it is. The arguments are the number of bills
 * and the minutes after which no other wave begins; `TEST_DATABASE_URL` is the administrator's address of
 * PostgreSQL. The answer to what it found is `close`, or `keep`: then the database stays.
 */
const [bills = 0, minutes = 0] = process.argv.slice(2).map(Number);
const till = await openStorm({ shops: 100 });
const starts = performance.now();
const secondsNow = () => Math.round((performance.now() - starts) / 1_000);
const send = (message: StormMessage) => process.send?.(message);
const found = await runStorm(till, {
	...{ bills, seconds: minutes * 60, payers: 96, kills: 2 },
	onProgress: (progress) => {
		const { round, what, paid, kills, service, sandboxes } = progress;
		const events = Object.values(progress.events).reduce((sum, count) => sum + count, 0);
		const used = `treasury ${service.processorSeconds.toFixed(0)} s, sandboxes ${sandboxes.processorSeconds.toFixed(0)} s`;
		console.log(
			`${secondsNow()} s: round ${round}, ${paid} of ${bills} bills, ${events} events, ${kills} kills, ${used} (${what})`,
		);
		const { user, system } = process.cpuUsage();
		const driverMb = Math.round(process.memoryUsage.rss() / 2 ** 20);
		send({ passed: { ...progress, seconds: secondsNow(), driverSeconds: (user + system) / 1e6, driverMb } });
	},
});
const seconds = secondsNow();
send({ found, seconds });
// Started by hand, or after the bench has ended, there is no answer.
const answer = process.connected ? once(process, "message") : [];
const [word] = await Promise.race([answer, once(process, "disconnect")]);
if (word === "keep") {
	await Promise.all([till.service.kill(), till.sandboxes.kill()]);
	process.exit();
}
await till.close();
if (process.connected) process.disconnect();
