import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { defineSchedule, enqueueJob } from "@lango/jobs";
import type { Database } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { outsideTransactions } from "@lango/tracing";
import { beforeEach, expect, test } from "vitest";
import {
	accept,
	countSendings,
	createTrialDatabase,
	send,
	sending,
	sendingsOf,
	startTrial,
	statesOf,
	type Trial,
} from "./trial.ts";

const database = setUp(createTrialDatabase, ({ drop }) => drop());

beforeEach(async () => {
	await database.db.query("delete from pgboss.job");
	await database.db.query("update parcels set sendings = 0 where sendings <> 0");
});

test("a job starts as soon as it is committed, without waiting for the next poll", async () => {
	const trial = await startTrial(database, [sending()], { timings: { pollSeconds: 60 } });
	try {
		await sleep(300); // The first poll is over.
		const id = await accept(database.db, sending());
		await expect.poll(() => sendingsOf(database.db, id), { timeout: 10_000, interval: 10 }).toBe(1);
		expect(trial.errors).toEqual([]);
	} finally {
		await trial.stop();
	}
});

test("two processes share the jobs, and each job runs once", async () => {
	const done: string[] = [];
	const trials = [
		await startTrial(database, [sending(async () => void done.push("first"))]),
		await startTrial(database, [sending(async () => void done.push("second"))]),
	];
	try {
		await Promise.all(Array.from({ length: 400 }, () => accept(database.db, sending())));
		await expect.poll(async () => (await countSendings(database.db))[1]).toBe(400);
		expect(done.length).toBe(400);
		expect(new Set(done).size).toBe(2);
	} finally {
		await Promise.all(trials.map((trial) => trial.stop()));
	}
});

test("the job of a killed process runs in another one", { timeout: 60_000 }, async () => {
	const program = join(import.meta.dirname, "sending-process.ts");
	const child = spawn(process.execPath, [program, database.url], { stdio: ["ignore", "pipe", "inherit"] });
	const exited = once(child, "exit");
	const attempts: number[] = [];
	const patient = sending(async ({ attempt }) => void attempts.push(attempt), { retryDelaySeconds: 1 });
	const timings = { heartbeatSeconds: 10, watchSeconds: 1, pollSeconds: 0.5 };
	// It creates the queue and starts no job.
	const maker = await startTrial(database, [patient], { isByHand: true, timings });
	await maker.stop();
	const id = await accept(database.db, patient);
	await once(child.stdout, "data");
	child.kill("SIGKILL");
	expect(await exited).toEqual([null, "SIGKILL"]);
	expect(await statesOf(database.db)).toEqual(["active"]);

	const trial = await startTrial(database, [patient], { timings });
	try {
		await expect.poll(() => sendingsOf(database.db, id), { timeout: 30_000, interval: 250 }).toBe(1);
		expect(attempts).toEqual([2]);
	} finally {
		await trial.stop();
	}
});

test("an effect that completes its job in its transaction happens once, even if the job is taken over", async () => {
	const { db } = database;
	const job = sending();
	let takenOver = false;
	const careful = {
		...job,
		work: (_: unknown, context: { id: string; done: (tx: Database) => Promise<void> }) =>
			db.transaction(async (tx) => {
				await send(tx, context.id);
				if (!takenOver)
					await outsideTransactions(() =>
						db.query("update pgboss.job set retry_count = retry_count + 1, state = 'retry'"),
					);
				takenOver = true;
				await context.done(tx);
			}),
	};
	const trial = await startTrial(database, [careful], { isByHand: true });
	try {
		const id = await accept(db, careful);
		expect(await trial.runDue()).toBe(2);
		expect(await sendingsOf(db, id)).toBe(1);
		expect(trial.errors).toEqual([
			`job parcels.send ${id}: the job of parcels.send was taken over by another process`,
		]);
		expect(await statesOf(db)).toEqual(["completed"]);
	} finally {
		await trial.stop();
	}
});

test("a failed job is retried after a growing, bounded delay", async () => {
	const { db } = database;
	const limits = { retries: 5, retryDelaySeconds: 10, retryDelayMaxSeconds: 40 };
	const failing = sending(() => Promise.reject(new Error("no van")), limits);
	const trial = await startTrial(database, [failing], { isByHand: true });
	const pauses: number[] = [];
	try {
		await accept(db, failing);
		for (let attempt = 0; attempt < 5; attempt += 1) {
			expect(await trial.runDue()).toBe(1);
			const [row] = await db.query<{ pause: number }>(
				"select extract(epoch from start_after - now())::float as pause from pgboss.job where state = 'retry'",
			);
			pauses.push(row?.pause ?? -1);
			await db.query("update pgboss.job set start_after = now() where state = 'retry'");
		}
		const bounds = [
			[10, 20],
			[20, 40],
			[40, 40],
			[40, 40],
			[40, 40],
		] as const;
		for (const [index, [least, most]] of bounds.entries()) {
			expect(pauses[index]).toBeGreaterThan(least - 1);
			expect(pauses[index]).toBeLessThanOrEqual(most);
		}
	} finally {
		await trial.stop();
	}
});

test("a job that exceeds its time limit is aborted and retried", async () => {
	let signalled: unknown;
	const slow = sending(
		({ signal }) =>
			new Promise((_, reject) => {
				signal.addEventListener("abort", () => {
					signalled = signal.reason;
					reject(signal.reason);
				});
			}),
		{ timeoutSeconds: 1 },
	);
	const trial = await startTrial(database, [slow], { isByHand: true });
	try {
		await accept(database.db, slow);
		expect(await trial.runDue()).toBe(1);
		expect(signalled).toEqual(new Error("parcels.send took longer than 1 s"));
		expect(await statesOf(database.db)).toEqual(["retry"]);
	} finally {
		await trial.stop();
	}
});

test("no more jobs run concurrently than declared", async () => {
	let inFlight = 0;
	let most = 0;
	const counted = sending(
		async () => {
			inFlight += 1;
			most = Math.max(most, inFlight);
			await sleep(5);
			inFlight -= 1;
		},
		{ atOnce: 3 },
	);
	const trial = await startTrial(database, [counted], { isByHand: true });
	try {
		await Promise.all(Array.from({ length: 30 }, () => accept(database.db, counted)));
		expect(await trial.runDue()).toBe(30);
		expect(most).toBe(3);
	} finally {
		await trial.stop();
	}
});

test("two jobs with the same name do not start", async () => {
	await expect(startTrial(database, [sending(), sending()])).rejects.toThrow(
		'two jobs are named "parcels.send"',
	);
});

test("a job that becomes a schedule under the same name does not start", async () => {
	const trial = await startTrial(database, [sending()], { isByHand: true });
	await trial.stop();
	const schedule = defineSchedule<Trial>({ name: "parcels.send", everySeconds: 60, work: async () => {} });
	await expect(startTrial(database, [schedule])).rejects.toThrow("was created for another kind of job");
});

test("work whose job was taken over is aborted", { timeout: 30_000 }, async () => {
	const aborted = Promise.withResolvers<string>();
	const slow = sending(({ signal }) => {
		signal.addEventListener("abort", () => aborted.resolve(String(signal.reason)));
		return new Promise(() => {});
	});
	const timings = { heartbeatSeconds: 10, watchSeconds: 60, drainMs: 100 };
	const trial = await startTrial(database, [slow], { timings });
	try {
		await accept(database.db, slow);
		await expect.poll(() => statesOf(database.db)).toEqual(["active"]);
		await database.db.query("update pgboss.job set retry_count = retry_count + 1");
		expect(await aborted.promise).toContain("no longer active under this worker's claim");
	} finally {
		await trial.stop();
	}
});

test("an existing queue gets the options of a changed declaration", async () => {
	const before = await startTrial(database, [sending(undefined, { retries: 1 })], { isByHand: true });
	await before.stop();
	const after = await startTrial(database, [sending(undefined, { retries: 9 })], { isByHand: true });
	try {
		const job = sending();
		await enqueueJob(database.db, job, { id: "1" });
		expect(await database.db.query("select retry_limit from pgboss.job")).toEqual([{ retry_limit: 9 }]);
	} finally {
		await after.stop();
	}
});
