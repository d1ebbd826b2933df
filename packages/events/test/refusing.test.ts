import { discardRefusedEvent, listRefusedEvents, type Relay, startRelay } from "@lango/events";
import { openPool, type Pool } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { bySubject, count, createTrialDatabase, emptyAll, manualClock, remembering } from "./trial.ts";

// What an operator sees of events that the bus refuses, and can do about them.

const database = setUp(createTrialDatabase, ({ drop }) => drop());
let owner: Pool;
let clock = manualClock();
let relays: Relay[] = [];

beforeAll(async () => {
	owner = openPool({ url: database.ownerUrl, name: "owner", sizeMax: 2 });
});
beforeEach(async () => {
	await emptyAll(owner);
	clock = manualClock();
});
afterEach(async () => {
	for (const relay of relays) await relay.stop();
	relays = [];
});
afterAll(() => owner.close());

/** A bus that refuses the second event of the subject `a` and records the others. */
function refusing() {
	const { transport, published } = remembering(async (n, { subject }) => {
		if (subject === "a" && n === 2) throw new Error("refused by the bus");
	});
	const relay = startRelay({
		db: database.db,
		transport,
		now: clock.now,
		onError: () => undefined,
		intervalMs: 3_600_000,
	});
	relays.push(relay);
	return { relay, published };
}

async function countTimes(subject: string, times: number): Promise<void> {
	for (let n = 0; n < times; n += 1) await count(database.db, subject, clock.now());
}

test("a refused event is listed with its attempts and the number of events behind it; waiting events are not listed", async () => {
	await countTimes("a", 5);
	await countTimes("b", 1);
	await refusing().relay.flush();
	await countTimes("b", 1);
	const { items, nextCursor } = await listRefusedEvents(database.db, {});
	expect(nextCursor).toBeUndefined();
	expect(items).toEqual([
		{
			id: "2",
			type: "trial.counter.counted",
			eventId: expect.stringMatching(/^[0-9a-f-]{36}$/),
			subject: "a",
			recordedAt: clock.now(),
			attempts: 1,
			nextAttemptAt: new Date(clock.now().getTime() + 250),
			waiting: 3,
		},
	]);
});

test("a discarded event is never published, and the events behind it are, in order", async () => {
	await countTimes("a", 4);
	const { relay, published } = refusing();
	await relay.flush();
	const { items } = await listRefusedEvents(database.db, {});
	expect(await discardRefusedEvent(database.db, items[0]?.id ?? "")).toEqual({
		type: "trial.counter.counted",
		eventId: items[0]?.eventId,
		subject: "a",
		attempts: 1,
	});
	await relay.flush();
	expect(bySubject(published)).toEqual({ a: [1, 3, 4] });
	expect(await listRefusedEvents(database.db, {})).toEqual({ items: [], nextCursor: undefined });
});

test.each(["1", "3", "99", "x", ""])(
	"an event that is not refused cannot be discarded: %s of one that is out, one refused and one behind it",
	async (id) => {
		await countTimes("a", 3);
		await refusing().relay.flush();
		expect(await discardRefusedEvent(database.db, id)).toBeUndefined();
		expect(await owner.query("select count(*)::int as n from outbox")).toEqual([{ n: 3 }]);
	},
);

test("a discard waits for the relay's batch, and finds nothing if the event was published in it", async () => {
	await countTimes("a", 1);
	let takes = () => {};
	const gate = new Promise<void>((resolve) => {
		takes = resolve;
	});
	let isRefused = true;
	const { transport, published } = remembering(async () => {
		if (isRefused) throw new Error("refused by the bus");
		await gate;
	});
	const relay = startRelay({
		db: database.db,
		transport,
		now: clock.now,
		onError: () => undefined,
		intervalMs: 3_600_000,
	});
	relays.push(relay);
	await relay.flush();
	isRefused = false;
	clock.advance(60_000);
	const flushed = relay.flush();
	const waiting = () =>
		owner.query(`select from pg_locks where locktype = 'advisory' and objid = hashtext('lango-relay')::oid and granted
		   and database = (select oid from pg_database where datname = current_database())`);
	await expect.poll(waiting).toHaveLength(1);
	const discarded = discardRefusedEvent(database.db, "1");
	const behind = () =>
		owner.query(`select from pg_locks where locktype = 'advisory' and objid = hashtext('lango-relay')::oid and not granted
		   and database = (select oid from pg_database where datname = current_database())`);
	await expect.poll(behind).toHaveLength(1);
	takes();
	await flushed;
	expect(await discarded).toBeUndefined();
	expect(published).toEqual([{ subject: "a", n: 1 }]);
});

test("refused events are listed in pages, and an invalid cursor is refused", async () => {
	for (const n of [1, 2, 3])
		await owner.query(
			`insert into outbox (type, subject, envelope, attempts, next_attempt_at)
			 values ('x', $1, '{"id": "e", "type": "x", "subject": "s", "time": "2026-03-01T12:00:00Z"}', 1, now())`,
			[`s${n}`],
		);
	const first = await listRefusedEvents(database.db, { limit: 2 });
	expect(first.items.map(({ id }) => id)).toEqual(["1", "2"]);
	const second = await listRefusedEvents(database.db, { limit: 2, cursor: first.nextCursor });
	expect(second.items.map(({ id }) => id)).toEqual(["3"]);
	expect(second.nextCursor).toBeUndefined();
	await expect(listRefusedEvents(database.db, { cursor: "x" })).rejects.toThrow("cursor");
});
