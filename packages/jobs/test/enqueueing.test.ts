import { enqueueJob, enqueueJobs, type JobContext, tenantIdOf } from "@lango/jobs";
import type { Database } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
	accept,
	createTrialDatabase,
	recordParcel,
	sending,
	sendingsOf,
	startTrial,
	statesOf,
} from "./trial.ts";

const database = setUp(createTrialDatabase, ({ drop }) => drop());
let trial: Awaited<ReturnType<typeof startTrial>>;
let during: (context: JobContext) => Promise<void>;
const job = sending((context) => during(context));

beforeAll(async () => {
	trial = await startTrial(database, [job], { isByHand: true });
});
beforeEach(async () => {
	during = async () => {};
	await database.db.query("delete from pgboss.job");
});
afterAll(() => trial.stop());

test("a job commits with the transaction that enqueues it", async () => {
	const id = await accept(database.db, job);
	expect(await trial.runDue()).toBe(1);
	expect(await sendingsOf(database.db, id)).toBe(1);
	expect(await statesOf(database.db)).toEqual(["completed"]);
});

test("a job whose transaction is rolled back does not exist", async () => {
	const refused = database.db.transaction(async (tx) => {
		await accept(tx, job);
		throw new Error("refused");
	});
	await expect(refused).rejects.toThrow("refused");
	expect(await statesOf(database.db)).toEqual([]);
	expect(await trial.runDue()).toBe(0);
});

test("a waiting job that is enqueued twice runs once", async () => {
	const id = await accept(database.db, job);
	await enqueueJob(database.db, job, { id });
	expect(await statesOf(database.db)).toEqual(["created"]);
	expect(await trial.runDue()).toBe(1);
});

test("a delayed job runs after its delay and not before", async () => {
	const id = await recordParcel(database.db);
	await enqueueJob(database.db, job, { id, afterSeconds: 3_600 });
	await enqueueJob(database.db, { name: job.name }, { id, afterSeconds: 1 });
	expect(await trial.runDue()).toBe(0);
	await expect.poll(() => trial.runDue()).toBe(1);
	expect(await sendingsOf(database.db, id)).toBe(1);
});

test("a job with a later start waits, and moves forward when it is enqueued for now", async () => {
	const id = await recordParcel(database.db);
	await enqueueJob(database.db, job, { id, startAfter: new Date(Date.now() + 3_600_000) });
	expect(await trial.runDue()).toBe(0);
	await enqueueJob(database.db, job, { id });
	expect(await trial.runDue()).toBe(1);
	expect(await sendingsOf(database.db, id)).toBe(1);
});

test("a job that is enqueued while it runs, runs again afterwards", async () => {
	let asked = false;
	const id = await recordParcel(database.db);
	during = async () => {
		if (asked) return;
		asked = true;
		await enqueueJob(database.db, job, { id });
	};
	await enqueueJob(database.db, job, { id });
	expect(await trial.runDue()).toBe(2);
	expect(await sendingsOf(database.db, id)).toBe(2);
});

test("two concurrent requests for one id create one job", async () => {
	const id = await recordParcel(database.db);
	await Promise.all(Array.from({ length: 6 }, () => enqueueJob(database.db, job, { id })));
	expect(await statesOf(database.db)).toEqual(["created"]);
});

test("a job that was enqueued with a tenant has it; tenantIdOf throws for a job without one", async () => {
	const aborted: unknown[] = [];
	during = async (context) => void aborted.push(tenantIdOf(context));
	const id = await recordParcel(database.db);
	await enqueueJob(database.db, job, { id, tenantId: "0190a5c0-0000-7000-8000-000000000000" });
	expect(await trial.runDue()).toBe(1);
	expect(aborted).toEqual(["0190a5c0-0000-7000-8000-000000000000"]);
	await enqueueJob(database.db, job, { id });
	await trial.runDue();
	expect(trial.errors).toEqual([`job parcels.send ${id}: the job for ${id} was enqueued without a tenant`]);
});

test("many jobs are enqueued by one statement; the ones that wait already move to their new start, and nothing runs twice", async () => {
	const [waiting = "", ...ids] = await Promise.all(
		Array.from({ length: 5 }, () => recordParcel(database.db)),
	);
	await enqueueJob(database.db, job, { id: waiting, afterSeconds: 3_600 });
	const statements: string[] = [];
	const counted: Database = {
		...database.db,
		query: (text, values) => {
			statements.push(text);
			return database.db.query(text, values);
		},
		transaction: (work) => work(counted),
	};
	await enqueueJobs(
		counted,
		job,
		ids.map((id) => ({ id })),
	);
	expect(statements).toHaveLength(1);
	await enqueueJobs(database.db, job, [
		{ id: waiting, afterSeconds: 60 },
		{ id: waiting },
		{ id: ids[0] ?? "" },
	]);
	expect(await trial.runDue()).toBe(5);
	for (const id of [waiting, ...ids]) expect(await sendingsOf(database.db, id)).toBe(1);
});

test("of many jobs none is enqueued when one id is invalid or the queue does not exist", async () => {
	await expect(enqueueJobs(database.db, job, [{ id: "1" }, { id: "a b" }])).rejects.toThrow("must match");
	const stray = { ...job, name: "parcels.stray" };
	await expect(enqueueJobs(database.db, stray, [{ id: "1" }, { id: "2" }])).rejects.toThrow("does not exist");
	await enqueueJobs(database.db, job, []);
	expect(await statesOf(database.db)).toEqual([]);
});

test("two concurrent requests for many ids in opposite orders both succeed", async () => {
	const requests = await Promise.all(
		Array.from({ length: 20 }, async () => ({ id: await recordParcel(database.db) })),
	);
	const rounds = Array.from({ length: 10 }, (_, n) => (n % 2 === 0 ? requests : requests.toReversed()));
	await Promise.all(rounds.map((round) => enqueueJobs(database.db, job, round)));
	expect(await trial.runDue()).toBe(20);
});

test("an id with invalid characters is refused", async () => {
	await expect(enqueueJob(database.db, job, { id: "a b" })).rejects.toThrow(
		"the ids of a parcels.send job must match",
	);
});

test("enqueuing a job whose queue does not exist throws", async () => {
	const stray = { ...job, name: "parcels.stray" };
	await expect(enqueueJob(database.db, stray, { id: "1" })).rejects.toThrow(
		"the queue of parcels.stray does not exist",
	);
});
