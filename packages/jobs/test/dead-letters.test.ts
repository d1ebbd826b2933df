import { enqueueJob, listDeadJobs, redriveDeadJob } from "@lango/jobs";
import { setUp } from "@lango/testkit/set-up";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { accept, createTrialDatabase, sending, sendingsOf, startTrial, statesOf } from "./trial.ts";

const database = setUp(createTrialDatabase, ({ drop }) => drop());
let trial: Awaited<ReturnType<typeof startTrial>>;
let isBroken: boolean;
const job = sending(() => (isBroken ? Promise.reject(new Error("no van")) : Promise.resolve()), {
	retries: 2,
});

beforeAll(async () => {
	trial = await startTrial(database, [job], { isByHand: true });
});
beforeEach(async () => {
	isBroken = true;
	await database.db.query("delete from pgboss.job");
});
afterAll(() => trial.stop());

const deadCount = async () => (await statesOf(database.db, "parcels.send.dead")).length;

/** Makes a job fail until it is a dead letter. */
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

test("a job that has used up its retries becomes a dead letter with its last error", async () => {
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

test("a dead letter is kept for thirty days, also in a queue that was created with a shorter retention", async () => {
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

test("a redriven dead letter has all its attempts again", async () => {
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

test("a dead letter whose row has a new job is removed by a redrive", async () => {
	const id = await die();
	const [dead] = (await listDeadJobs(database.db)).items;
	isBroken = false;
	await enqueueJob(database.db, job, { id });
	expect(await redriveDeadJob(database.db, dead?.deadId ?? "")).toBe("has a job already");
	expect((await listDeadJobs(database.db)).items).toEqual([]);
	expect(await trial.runDue()).toBe(1);
});

test("an unknown dead letter is not redriven", async () => {
	expect(await redriveDeadJob(database.db, "not an id")).toBeUndefined();
	expect(await redriveDeadJob(database.db, "0190a5c0-0000-7000-8000-000000000000")).toBeUndefined();
});

test("dead letters are listed in pages in the order of their deaths, and an invalid cursor is refused", async () => {
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

test("a long error message is truncated", async () => {
	const long = sending(() => Promise.reject(new Error("x".repeat(9_000))), { retries: 0 });
	const other = await startTrial(database, [long], { isByHand: true });
	await accept(database.db, long);
	await other.runDue();
	await other.stop();
	const [dead] = (await listDeadJobs(database.db)).items;
	expect(dead?.reason).toBe("x".repeat(500));
});
