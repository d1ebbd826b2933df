import { enqueueJob, type JobTurn, tenantIdOf } from "@lango/jobs";
import type { TestDatabase } from "@lango/testkit";
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

let database: TestDatabase;
let trial: Awaited<ReturnType<typeof startTrial>>;
let during: (turn: JobTurn) => Promise<void>;
const job = sending((turn) => during(turn));

beforeAll(async () => {
	database = await createTrialDatabase();
	trial = await startTrial(database, [job], { isByHand: true });
});
beforeEach(async () => {
	during = async () => {};
	await database.db.query("delete from pgboss.job");
});
afterAll(async () => {
	await trial.stop();
	await database.drop();
});

test("a job commits with the state it follows", async () => {
	const id = await accept(database.db, job);
	expect(await trial.runDue()).toBe(1);
	expect(await sendingsOf(database.db, id)).toBe(1);
	expect(await statesOf(database.db)).toEqual(["completed"]);
});

test("a job whose transaction is rolled back never was", async () => {
	const refused = database.db.transaction(async (tx) => {
		await accept(tx, job);
		throw new Error("refused");
	});
	await expect(refused).rejects.toThrow("refused");
	expect(await statesOf(database.db)).toEqual([]);
	expect(await trial.runDue()).toBe(0);
});

test("asked for twice, a job that waits is done once", async () => {
	const id = await accept(database.db, job);
	await enqueueJob(database.db, job, { id });
	expect(await statesOf(database.db)).toEqual(["created"]);
	expect(await trial.runDue()).toBe(1);
});

test("a job for so many seconds from now is not begun before they are over, and then is", async () => {
	const id = await recordParcel(database.db);
	await enqueueJob(database.db, job, { id, afterSeconds: 3_600 });
	await enqueueJob(database.db, { name: job.name }, { id, afterSeconds: 1 });
	expect(await trial.runDue()).toBe(0);
	await expect.poll(() => trial.runDue(), { timeout: 5_000 }).toBe(1);
	expect(await sendingsOf(database.db, id)).toBe(1);
});

test("a job for later is not begun before its time, and comes forward when it is asked for now", async () => {
	const id = await recordParcel(database.db);
	await enqueueJob(database.db, job, { id, startAfter: new Date(Date.now() + 3_600_000) });
	expect(await trial.runDue()).toBe(0);
	await enqueueJob(database.db, job, { id });
	expect(await trial.runDue()).toBe(1);
	expect(await sendingsOf(database.db, id)).toBe(1);
});

test("what is asked for while the job is under way is done after it", async () => {
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

test("two who ask at the same moment ask for one job", async () => {
	const id = await recordParcel(database.db);
	await Promise.all(Array.from({ length: 6 }, () => enqueueJob(database.db, job, { id })));
	expect(await statesOf(database.db)).toEqual(["created"]);
});

test("a job about a tenant's row says whose it is; one that was enqueued without does not", async () => {
	const told: unknown[] = [];
	during = async (turn) => void told.push(tenantIdOf(turn));
	const id = await recordParcel(database.db);
	await enqueueJob(database.db, job, { id, tenantId: "0190a5c0-0000-7000-8000-000000000000" });
	expect(await trial.runDue()).toBe(1);
	expect(told).toEqual(["0190a5c0-0000-7000-8000-000000000000"]);
	await enqueueJob(database.db, job, { id });
	await trial.runDue();
	expect(trial.errors).toEqual([
		`job parcels.send ${id}: the job about ${id} was enqueued without its tenant`,
	]);
});

test("an id that is not plain is refused", async () => {
	await expect(enqueueJob(database.db, job, { id: "a b" })).rejects.toThrow(
		"a job of parcels.send holds plain ids",
	);
});

test("a job whose queue nobody made is refused, not lost", async () => {
	const stray = { ...job, name: "parcels.stray" };
	await expect(enqueueJob(database.db, stray, { id: "1" })).rejects.toThrow(
		"the queue of parcels.stray does not exist",
	);
});
