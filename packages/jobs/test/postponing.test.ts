import { listDeadJobs } from "@lango/jobs";
import { setUp } from "@lango/testkit/set-up";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accept, createTrialDatabase, sending, sendingsOf, startTrial } from "./trial.ts";

class Away extends Error {}

const database = setUp(createTrialDatabase, ({ drop }) => drop());
let trial: Awaited<ReturnType<typeof startTrial>>;
let trouble: Error | undefined;
const job = sending(() => (trouble === undefined ? Promise.resolve() : Promise.reject(trouble)), {
	retries: 2,
	postpones: (error) => error instanceof Away,
});

beforeAll(async () => {
	trial = await startTrial(database, [job], { isByHand: true });
});
afterAll(() => trial.stop());

/** Makes the jobs that wait for a retry due, and runs them. Returns the number of attempts. */
async function retry(): Promise<number> {
	await database.db.query("update pgboss.job set start_after = now() where state = 'retry'");
	return trial.runDue();
}

test("attempts that fail because a dependency is unavailable do not count, and their delays grow", async () => {
	const id = await accept(database.db, job);
	trouble = new Away("the van is away");
	for (let attempt = 1; attempt <= 10; attempt += 1) expect(await retry()).toBe(1);
	const [waiting] = await database.db.query<{ state: string; pause: number }>(
		"select state::text, extract(epoch from start_after - now())::float8 as pause from pgboss.job",
	);
	expect(waiting?.state).toBe("retry");
	expect(waiting?.pause).toBeGreaterThan(1_000);
	trouble = new Error("the parcel is broken");
	for (let attempt = 1; attempt <= 2; attempt += 1) expect(await retry()).toBe(1);
	expect((await listDeadJobs(database.db)).items).toEqual([]);
	trouble = undefined;
	expect(await retry()).toBe(1);
	expect(await sendingsOf(database.db, id)).toBe(1);
});

test("an attempt that fails for another reason counts", async () => {
	const id = await accept(database.db, job);
	trouble = new Error("the parcel is broken");
	for (let attempt = 1; attempt <= 3; attempt += 1) expect(await retry()).toBe(1);
	expect((await listDeadJobs(database.db)).items.map((dead) => dead.id)).toEqual([id]);
});
