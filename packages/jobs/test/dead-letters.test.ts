import { enqueueJob, listDeadJobs, redriveDeadJob } from "@lango/jobs";
import type { TestDatabase } from "@lango/testkit";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { accept, createTrialDatabase, sending, sendingsOf, startTrial, statesOf } from "./trial.ts";

let database: TestDatabase;
let trial: Awaited<ReturnType<typeof startTrial>>;
let isBroken: boolean;
const job = sending(() => (isBroken ? Promise.reject(new Error("no van")) : Promise.resolve()), {
	retries: 2,
});

beforeAll(async () => {
	database = await createTrialDatabase();
	trial = await startTrial(database, [job], { isByHand: true });
});
beforeEach(async () => {
	isBroken = true;
	await database.db.query("delete from pgboss.job");
});
afterAll(async () => {
	await trial.stop();
	await database.drop();
});

const deadCount = async () => (await statesOf(database.db, "parcels.send.dead")).length;

/** Lets a job fail for good. */
async function die(): Promise<string> {
	const before = await deadCount();
	const id = await accept(database.db, job);
	for (let attempt = 1; attempt <= 3; attempt += 1) {
		expect(await deadCount()).toBe(before);
		expect(await trial.runDue()).toBe(1);
		await database.db.query("update pgboss.job set start_after = now() where state = 'retry'");
	}
	expect(await trial.runDue()).toBe(0);
	return id;
}

test("a job that always fails lies among the dead letters after its tries, with its reason", async () => {
	const id = await die();
	expect((await listDeadJobs(database.db)).items).toEqual([
		{
			deadId: expect.any(String),
			job: "parcels.send",
			id,
			diedAt: expect.any(Date),
			tries: 3,
			reason: "no van",
		},
	]);
});

test("a dead job is kept for thirty days, also in a queue that was made to keep it shorter", async () => {
	const keptDays = async () => {
		await database.db.query("delete from pgboss.job");
		await die();
		const [dead] = await database.db.query<{ days: number }>(
			`select round(extract(epoch from keep_until - created_on) / 86400)::integer as days
			   from pgboss.job where name = 'parcels.send.dead'`,
		);
		return dead?.days;
	};
	expect(await keptDays()).toBe(30);
	await database.db.query(
		"update pgboss.queue set retention_seconds = 86400 where name = 'parcels.send.dead'",
	);
	await trial.stop();
	trial = await startTrial(database, [job], { isByHand: true });
	expect(await keptDays()).toBe(30);
});

test("a dead job that is redriven has all its tries again, and leaves the dead letters", async () => {
	const id = await die();
	const [dead] = (await listDeadJobs(database.db)).items;
	isBroken = false;
	expect(await redriveDeadJob(database.db, dead?.deadId ?? "")).toBe("redriven");
	expect((await listDeadJobs(database.db)).items).toEqual([]);
	expect(
		await database.db.query("select retry_count, retry_limit from pgboss.job where state = 'created'"),
	).toEqual([{ retry_count: 0, retry_limit: 2 }]);
	expect(await trial.runDue()).toBe(1);
	expect(await sendingsOf(database.db, id)).toBe(1);
});

test("a dead job whose row has a job by now is laid aside", async () => {
	const id = await die();
	const [dead] = (await listDeadJobs(database.db)).items;
	isBroken = false;
	await enqueueJob(database.db, job, { id });
	expect(await redriveDeadJob(database.db, dead?.deadId ?? "")).toBe("has a job already");
	expect((await listDeadJobs(database.db)).items).toEqual([]);
	expect(await trial.runDue()).toBe(1);
});

test("what is no dead letter is not redriven", async () => {
	expect(await redriveDeadJob(database.db, "not an id")).toBeUndefined();
	expect(await redriveDeadJob(database.db, "0190a5c0-0000-7000-8000-000000000000")).toBeUndefined();
});

test("dead jobs are listed in pages, in the order they died, and a cursor of another list is refused", async () => {
	await die();
	await die();
	await die();
	const { items } = await listDeadJobs(database.db);
	const first = await listDeadJobs(database.db, { limit: 2 });
	const rest = await listDeadJobs(database.db, { limit: 2, cursor: first.nextCursor });
	expect([...first.items, ...rest.items]).toEqual(items);
	expect([first.items.length, rest.items.length, rest.nextCursor]).toEqual([2, 1, undefined]);
	await expect(listDeadJobs(database.db, { cursor: "2" })).rejects.toThrow("cursor");
});

test("a long reason is cut", async () => {
	const long = sending(() => Promise.reject(new Error("x".repeat(9_000))), { retries: 0 });
	const other = await startTrial(database, [long], { isByHand: true });
	await accept(database.db, long);
	await other.runDue();
	await other.stop();
	const [dead] = (await listDeadJobs(database.db)).items;
	expect(dead?.reason).toBe("x".repeat(500));
});
