import { setUp } from "@lango/testkit/set-up";
import { beforeEach, expect, test } from "vitest";
import { accept, createTrialDatabase, sending, sendingsOf, startTrial, statesOf } from "./trial.ts";

const database = setUp(createTrialDatabase, ({ drop }) => drop());

beforeEach(async () => {
	await database.db.query("delete from pgboss.job");
});

test("a stop waits for running jobs and starts no more", async () => {
	const begun: string[] = [];
	const gate = Promise.withResolvers<void>();
	const gated = sending(
		async ({ id }) => {
			begun.push(id);
			await gate.promise;
		},
		{ atOnce: 2 },
	);
	const maker = await startTrial(database, [gated], { isByHand: true });
	await maker.stop();
	const ids = [
		await accept(database.db, gated),
		await accept(database.db, gated),
		await accept(database.db, gated),
	];
	const trial = await startTrial(database, [gated]);
	await expect.poll(() => begun.length).toBe(2);
	const stopped = trial.stop();
	setTimeout(() => gate.resolve(), 200);
	await stopped;
	expect(begun.length).toBe(2);
	const sendings = await Promise.all(ids.map((id) => sendingsOf(database.db, id)));
	expect(sendings).toEqual(ids.map((id) => (begun.includes(id) ? 1 : 0)));
	expect((await statesOf(database.db)).toSorted()).toEqual(["completed", "completed", "retry"]);
	expect(trial.errors).toEqual([]);

	// The returned jobs are due immediately, and their attempt did not count.
	const other = await startTrial(database, [gated], { isByHand: true });
	expect(await other.runDue()).toBe(1);
	await other.stop();
	expect(begun.toSorted()).toEqual(ids.toSorted());
});

test("a job that does not end in time is aborted, returned, and run by another process with all its attempts", async () => {
	let isAborted = false;
	const endless = sending(
		({ signal }) =>
			new Promise(() => {
				signal.addEventListener("abort", () => {
					isAborted = true;
				});
			}),
		{ retries: 0 },
	);
	const maker = await startTrial(database, [endless], { isByHand: true });
	await maker.stop();
	const id = await accept(database.db, endless);
	const trial = await startTrial(database, [endless], { timings: { drainMs: 300 } });
	await expect.poll(() => statesOf(database.db)).toEqual(["active"]);
	const began = performance.now();
	await trial.stop();
	expect(performance.now() - began).toBeLessThan(4_000);
	expect(isAborted).toBe(true);
	expect(await statesOf(database.db)).toEqual(["retry"]);

	const other = await startTrial(database, [sending(undefined, { retries: 0 })], { isByHand: true });
	expect(await other.runDue()).toBe(1);
	await other.stop();
	expect(await sendingsOf(database.db, id)).toBe(1);
	expect(await statesOf(database.db)).toEqual(["completed"]);
});

test("a process without running jobs stops immediately and leaves no connection open", async () => {
	const trial = await startTrial(database, [sending()]);
	const began = performance.now();
	await trial.stop();
	await trial.stop();
	expect(performance.now() - began).toBeLessThan(3_000);
	const connections = () =>
		database.db.query(
			"select from pg_stat_activity where application_name = 'lango-trial-jobs' and datname = current_database()",
		);
	await expect.poll(async () => (await connections()).length).toBe(0);
});
