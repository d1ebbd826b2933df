import { setTimeout as sleep } from "node:timers/promises";
import { type Relay, startRelay, type Transport } from "@lango/events";
import { type Database, openPool, type Pool } from "@lango/postgres";
import { besideOthers } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { retryDelayMs } from "../src/outbox/publish-batch.ts";
import {
	bySubject,
	count,
	countUnpublished,
	createTrialDatabase,
	emptyAll,
	manualClock,
	remembering,
} from "./trial.ts";

/** Generous, because the machine may be busy. */
const patient = { timeout: 20_000 };

const database = setUp(createTrialDatabase, ({ drop }) => drop());
let db: Database;
let owner: Pool;
let clock = manualClock();
let errors: string[] = [];
let relays: Relay[] = [];

beforeAll(async () => {
	db = database.db;
	owner = openPool({ url: database.ownerUrl, name: "owner", sizeMax: 2 });
});
beforeEach(async () => {
	await emptyAll(owner);
	clock = manualClock();
	errors = [];
});
afterEach(async () => {
	for (const relay of relays) await relay.stop();
	relays = [];
});
afterAll(() => owner.close());

const hour = 3_600_000;

/** A relay that publishes what is recorded here, and polls the outbox ever less often. */
function relayTo(transport: Transport, more: Partial<Parameters<typeof startRelay>[0]> = {}): Relay {
	const onError = (error: unknown, about: string) =>
		void errors.push(`${about.split(" ")[0]}: ${(error as Error).message}`);
	const relay = startRelay({ db, transport, now: clock.now, onError, intervalMs: hour, ...more });
	relays.push(relay);
	return relay;
}

async function countTimes(subject: string, times: number): Promise<void> {
	for (let n = 0; n < times; n += 1) await count(db, subject, clock.now());
}

const hasTurn = () =>
	db.query(`select from pg_locks where locktype = 'advisory' and granted and objid = hashtext('lango-relay')::oid
	           and database = (select oid from pg_database where datname = current_database())`);

test("events are published once, in order, and marked with the time", async () => {
	await countTimes("a", 3);
	await countTimes("b", 2);
	const { transport, published } = remembering();
	const relay = relayTo(transport);
	await relay.flush();
	await relay.flush();
	expect(bySubject(published)).toEqual({ a: [1, 2, 3], b: [1, 2] });
	expect(await db.query("select distinct published_at, attempts from outbox")).toEqual([
		{ published_at: clock.now(), attempts: 0 },
	]);
});

test("events are published soon after their commit without a call", async () => {
	const { transport, published } = remembering();
	relayTo(transport, { intervalMs: 10 });
	await countTimes("a", 2);
	await expect
		.poll(() => published, patient)
		.toEqual([
			{ subject: "a", n: 1 },
			{ subject: "a", n: 2 },
		]);
	await expect.poll(() => countUnpublished(db), patient).toBe(0);
});

test("an event is published at once after its commit, between two polls", async () => {
	const { transport, published } = remembering();
	relayTo(transport);
	// The pause is more than a second long now.
	await sleep(1_300);
	await countTimes("a", 1);
	await expect.poll(() => published, { timeout: 700, interval: 5 }).toEqual([{ subject: "a", n: 1 }]);
});

test("an event of an uncommitted transaction is published after the commit, and not before", async () => {
	const { transport, published } = remembering();
	const relay = relayTo(transport);
	await db.transaction(
		besideOthers(async (tx) => {
			await count(tx, "a", clock.now());
			await countTimes("b", 1);
			await relay.flush();
			expect(published).toEqual([{ subject: "b", n: 1 }]);
		}),
	);
	await relay.flush();
	expect(bySubject(published)).toEqual({ a: [1], b: [1] });
});

test("more events than a batch holds are published in several batches", async () => {
	await countTimes("a", 7);
	const { transport, published } = remembering();
	await relayTo(transport, { batchMax: 2 }).flush();
	expect(published.map(({ n }) => n)).toEqual([1, 2, 3, 4, 5, 6, 7]);
});

test("a failed event blocks later events of its subject and of no other", async () => {
	let isBroken = true;
	const { transport, published } = remembering(async (n, { subject }) => {
		if (isBroken && subject === "a" && n === 2) throw new Error("refused by the bus");
	});
	await countTimes("a", 3);
	await countTimes("b", 3);
	const relay = relayTo(transport);
	await relay.flush();
	await countTimes("a", 1);
	await countTimes("b", 1);
	await relay.flush();
	expect(bySubject(published)).toEqual({ a: [1], b: [1, 2, 3, 4] });
	expect(errors).toEqual(["publish: refused by the bus"]);

	isBroken = false;
	await relay.flush();
	expect(bySubject(published)).toEqual({ a: [1], b: [1, 2, 3, 4] });
	clock.advance(retryDelayMs(0));
	await relay.flush();
	expect(bySubject(published)).toEqual({ a: [1, 2, 3, 4], b: [1, 2, 3, 4] });
});

test("the delay after each failure doubles, up to a minute, and stays there", async () => {
	expect([0, 1, 2, 3].map(retryDelayMs)).toEqual([250, 500, 1_000, 2_000]);
	expect([8, 20, 1_000, 1_000_000].map(retryDelayMs)).toEqual([60_000, 60_000, 60_000, 60_000]);

	let attempts = 0;
	const { transport } = remembering(async () => {
		attempts += 1;
		throw new Error("down");
	});
	await countTimes("a", 2);
	const relay = relayTo(transport);
	await relay.flush();
	for (const [failures, wait] of [250, 500, 1_000].entries()) {
		clock.advance(wait - 1);
		await relay.flush();
		expect(attempts).toBe(failures + 1);
		clock.advance(1);
		await relay.flush();
		expect(attempts).toBe(failures + 2);
	}
	expect(await db.query("select attempts from outbox order by position")).toEqual([
		{ attempts: 4 },
		{ attempts: 0 },
	]);
	expect(await countUnpublished(db)).toBe(2);
});

test("a publication without a response counts as failed, and the event is published later", async () => {
	let isSilent = true;
	const { transport, published } = remembering(async () => {
		if (isSilent) await new Promise(() => undefined);
	});
	await countTimes("a", 1);
	const relay = relayTo(transport, { publishTimeoutMs: 50 });
	await relay.flush();
	expect(errors).toEqual(["publish: not done within 50 ms"]);
	isSilent = false;
	clock.advance(hour);
	await relay.flush();
	expect(published).toEqual([{ subject: "a", n: 1 }]);
});

test("two concurrent relays publish every event once and in order", async () => {
	const { transport, published } = remembering(() => new Promise((resolve) => setTimeout(resolve, 1)));
	relayTo(transport, { intervalMs: 1, batchMax: 3 });
	relayTo(transport, { intervalMs: 1, batchMax: 3 });
	await Promise.all(["a", "b", "c"].map((subject) => countTimes(subject, 15)));
	await expect.poll(() => countUnpublished(db), patient).toBe(0);
	const all = Array.from({ length: 15 }, (_, index) => index + 1);
	expect(bySubject(published)).toEqual({ a: all, b: all, c: all });
});

test("a relay that loses its connection during a batch publishes the batch again, in order", async () => {
	let isCut = false;
	const { transport, published } = remembering(async (n) => {
		if (n !== 2 || isCut) return;
		isCut = true;
		const admin = openPool({ url: process.env.TEST_DATABASE_URL ?? "", name: "cutter", sizeMax: 1 });
		await admin.query(
			`select pg_terminate_backend(pid, 5000) from pg_locks
			  where locktype = 'advisory' and objid = hashtext('lango-relay')::oid
			    and database = (select oid from pg_database where datname = $1)`,
			[new URL(database.url).pathname.slice(1)],
		);
		await admin.close();
	});
	await countTimes("a", 3);
	const relay = relayTo(transport, { intervalMs: 10 });
	await expect.poll(() => countUnpublished(db), patient).toBe(0);
	await relay.stop();
	expect(published.map(({ n }) => n)).toEqual([1, 2, 3, 1, 2, 3]);
	expect(errors).toHaveLength(1);
});

test("when the relay that holds the lock dies, another takes over", async () => {
	const doomed = openPool({ url: database.url, name: "doomed", sizeMax: 1 });
	let release = () => {};
	const gate = new Promise<void>((resolve) => {
		release = resolve;
	});
	await countTimes("a", 2);
	const dead = relayTo(remembering(() => gate).transport, { db: doomed });
	const { transport, published } = remembering();
	try {
		await expect.poll(hasTurn, patient).toHaveLength(1);
		const relay = relayTo(transport);
		const waiting = relay.flush();
		const admin = openPool({ url: process.env.TEST_DATABASE_URL ?? "", name: "cutter", sizeMax: 1 });
		await admin.query(
			"select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = 'lango-doomed' and datname = $1",
			[new URL(database.url).pathname.slice(1)],
		);
		await admin.close();
		await waiting;
		expect(published.map(({ n }) => n)).toEqual([1, 2]);
	} finally {
		release();
		await dead.stop();
		await doomed.close();
	}
});

test("stop finishes the current batch and starts no other", async () => {
	let release = () => {};
	const gate = new Promise<void>((resolve) => {
		release = resolve;
	});
	const { transport, published } = remembering(() => gate);
	await countTimes("a", 3);
	const relay = relayTo(transport, { batchMax: 2 });
	await expect.poll(hasTurn, patient).toHaveLength(1);
	let isStopped = false;
	const stopping = relay.stop().then(() => {
		isStopped = true;
	});
	await count(db, "b", clock.now());
	expect(isStopped).toBe(false);
	release();
	await stopping;
	expect(published.map(({ n }) => n)).toEqual([1, 2]);
	expect(await countUnpublished(db)).toBe(2);
});

test("a database outage is reported, and the relay continues afterwards", async () => {
	const { transport, published } = remembering();
	let isAway = true;
	const away: Database = {
		...db,
		query: (text, values) => (isAway ? Promise.reject(new Error("away")) : db.query(text, values)),
		transaction: (work) => db.transaction(work),
	};
	await countTimes("a", 1);
	relayTo(transport, { db: away, intervalMs: 5 });
	await expect.poll(() => errors, patient).toContain("publish: away");
	isAway = false;
	await expect.poll(() => published, patient).toEqual([{ subject: "a", n: 1 }]);
});

test("published events are removed after seven days, others never", async () => {
	let isBroken = false;
	const { transport } = remembering(async () => {
		if (isBroken) throw new Error("down");
	});
	await countTimes("a", 1);
	const relay = relayTo(transport, { intervalMs: 5 });
	await relay.flush();
	isBroken = true;
	await countTimes("b", 1);
	clock.advance(7 * 24 * hour - 1);
	await countTimes("a", 1);
	await new Promise((resolve) => setTimeout(resolve, 50));
	expect(await db.query("select subject from outbox order by position")).toEqual([
		{ subject: "a" },
		{ subject: "b" },
		{ subject: "a" },
	]);
	clock.advance(60_000);
	await expect
		.poll(() => db.query("select subject from outbox order by position"), patient)
		.toEqual([{ subject: "b" }, { subject: "a" }]);
	clock.advance(365 * 24 * hour);
	await new Promise((resolve) => setTimeout(resolve, 50));
	expect(await countUnpublished(db)).toBe(2);
});
