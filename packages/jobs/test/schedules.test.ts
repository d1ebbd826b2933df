import { defineRecoveryScan, defineSchedule, enqueueJob, listDeadJobs } from "@lango/jobs";
import { setUp } from "@lango/testkit/set-up";
import { beforeEach, expect, test } from "vitest";
import {
	createTrialDatabase,
	recordParcel,
	sending,
	sendingsOf,
	startTrial,
	statesOf,
	type Trial,
} from "./trial.ts";

const database = setUp(createTrialDatabase, ({ drop }) => drop());

beforeEach(async () => {
	await database.db.query("delete from pgboss.job");
	await database.db.query("update parcels set sent_at = now()");
});

const purging = (everySeconds: number, work: () => Promise<unknown>) =>
	defineSchedule<Trial>({ name: "parcels.purge", everySeconds, work });

test("a schedule runs once per slot for any number of processes", async () => {
	const runs: number[] = [];
	const purge = purging(3_600, async () => void runs.push(1));
	const trials = [
		await startTrial(database, [purge]),
		await startTrial(database, [purge]),
		await startTrial(database, [purge]),
	];
	await expect.poll(() => statesOf(database.db, "parcels.purge")).toEqual(["completed"]);
	await Promise.all(trials.map((trial) => trial.stop()));
	const late = await startTrial(database, [purge], { isByHand: true });
	expect(await late.runDue()).toBe(0);
	await late.stop();
	expect(runs).toEqual([1]);
});

test("a schedule runs repeatedly, and never concurrently with itself", { timeout: 20_000 }, async () => {
	let inFlight = 0;
	let runs = 0;
	const purge = purging(1, async () => {
		inFlight += 1;
		expect(inFlight).toBe(1);
		await new Promise((resolve) => setTimeout(resolve, 1_500));
		inFlight -= 1;
		runs += 1;
	});
	const trials = [await startTrial(database, [purge]), await startTrial(database, [purge])];
	await expect.poll(() => runs).toBeGreaterThanOrEqual(3);
	await Promise.all(trials.map((trial) => trial.stop()));
	expect(trials.flatMap(({ errors }) => errors)).toEqual([]);
});

test("a schedule can be run by hand and throws its error", async () => {
	const purge = purging(3_600, () => Promise.reject(new Error("nothing to purge with")));
	const trial = await startTrial(database, [purge], { isByHand: true });
	await expect(trial.run("parcels.purge")).rejects.toThrow("nothing to purge with");
	await expect(trial.run("parcels.other")).rejects.toThrow(
		'no schedule or recovery scan is named "parcels.other"',
	);
	await trial.stop();
});

test("an invalid job name is refused", () => {
	for (const name of ["", "Parcels", "parcels send", "parcels.send.dead", "parcels.sweep", "a".repeat(101)])
		expect(() => defineSchedule({ name, everySeconds: 60, work: async () => {} }), name).toThrow(
			"is not a valid job name",
		);
});

let isBroken = false;
const job = sending(() => (isBroken ? Promise.reject(new Error("no van")) : Promise.resolve()), {
	retries: 0,
});
const scan = defineRecoveryScan<Trial>({
	job,
	everySeconds: 300,
	find: ({ db }, { after, limit }) =>
		db.query<{ id: string }>(
			"select id from parcels where sent_at is null and ($1::uuid is null or id > $1) order by id limit $2",
			[after ?? null, limit],
		),
});

test("a recovery scan whose job is not declared does not start", async () => {
	await expect(startTrial(database, [scan])).rejects.toThrow(
		"the job of parcels.send.sweep is not declared in the service",
	);
});

test("a recovery scan enqueues only the row whose job was lost", async () => {
	const { db } = database;
	const trial = await startTrial(database, [job, scan], { isByHand: true });
	const waiting = await recordParcel(db);
	const lost = await recordParcel(db);
	await enqueueJob(db, job, { id: waiting });
	await enqueueJob(db, job, { id: lost });
	await db.query("delete from pgboss.job where data->>'id' = $1", [lost]);
	await trial.run("parcels.send.sweep");
	const jobs = await db.query<{ id: string }>("select data->>'id' as id from pgboss.job order by created_on");
	expect(jobs.map(({ id }) => id)).toEqual([waiting, lost]);
	expect(await trial.runDue()).toBe(3); // The scan itself is due too.
	expect([await sendingsOf(db, waiting), await sendingsOf(db, lost)]).toEqual([1, 1]);
	await trial.stop();
});

test("a recovery scan moves forward a job that starts later than its row says", async () => {
	const { db } = database;
	const trial = await startTrial(database, [job, scan], { isByHand: true });
	const id = await recordParcel(db);
	await enqueueJob(db, job, { id, afterSeconds: 3_600 });
	await trial.run("parcels.send.sweep");
	await trial.runDue();
	expect(await sendingsOf(db, id)).toBe(1);
	await trial.stop();
});

test("a recovery scan ignores running, retried and dead jobs", async () => {
	const { db } = database;
	const trial = await startTrial(database, [job, scan], { isByHand: true });
	const dead = await recordParcel(db);
	isBroken = true;
	await enqueueJob(db, job, { id: dead });
	expect(await trial.runDue()).toBe(2);
	isBroken = false;
	expect((await listDeadJobs(db)).items.map(({ id }) => id)).toEqual([dead]);
	const [active, retrying] = [await recordParcel(db), await recordParcel(db)];
	for (const [id, state] of [
		[active, "active"],
		[retrying, "retry"],
	] as const) {
		await enqueueJob(db, job, { id });
		await db.query(
			"update pgboss.job set state = $2::pgboss.job_state where data->>'id' = $1 and state = 'created'",
			[id, state],
		);
	}
	await trial.run("parcels.send.sweep");
	expect((await statesOf(db)).toSorted()).toEqual(["active", "failed", "retry"]);
	await trial.stop();
});

test("a recovery scan reads more rows than one page", async () => {
	const { db } = database;
	const trial = await startTrial(database, [job, scan], { isByHand: true });
	await db.query("insert into parcels (id) select gen_random_uuid() from generate_series(1, 1200)");
	await trial.run("parcels.send.sweep");
	expect((await statesOf(db)).length).toBe(1_200);
	await trial.stop();
});
