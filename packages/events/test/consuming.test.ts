import type { EventEnvelope } from "@lango/contracts";
import {
	type Consumer,
	defineConsumer,
	inProcessTransport,
	startConsumers,
	startRelay,
	type Transport,
} from "@lango/events";
import { type Database, openPool, type Pool } from "@lango/postgres";
import type { TestDatabase } from "@lango/testkit";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { count, counted, createTrialDatabase, effectsOf, emptyAll, noting, standingClock } from "./trial.ts";

/** The machine may be busy. */
const patient = { timeout: 10_000 };

let database: TestDatabase;
let db: Database;
let owner: Pool;
let transport: Transport;
let told: string[] = [];
let stops: Array<() => Promise<void>> = [];

beforeAll(async () => {
	database = await createTrialDatabase();
	db = database.db;
	owner = openPool({ url: database.ownerUrl, name: "owner", sizeMax: 1 });
});
beforeEach(async () => {
	await emptyAll(owner);
	transport = inProcessTransport();
	told = [];
});
afterEach(async () => {
	for (const stop of stops.toReversed()) await stop();
	stops = [];
});
afterAll(async () => {
	await owner.close();
	await database.drop();
});

const onError = (error: unknown, about: string) =>
	void told.push(`${about.split(" ")[0]}: ${(error as Error).message}`);

async function consume(service: string, consumers: readonly Consumer[], now?: () => Date): Promise<void> {
	const { stop } = await startConsumers({ service, db, transport, consumers, onError, ...(now && { now }) });
	stops.push(stop);
}

let ids = 0;
const event = (n: number, subject = "a"): EventEnvelope<{ n: number }> => {
	ids += 1;
	return {
		specversion: "1.0",
		id: `0197a000-0000-7000-8000-${String(ids).padStart(12, "0")}`,
		source: "/trial",
		type: counted.type,
		time: "2026-03-01T12:00:00.000Z",
		subject,
		datacontenttype: "application/json",
		data: { n },
	};
};

test("an event reaches every service that names its type, and each has its own effect", async () => {
	await consume("pos", [noting("pos")]);
	await consume("ordering", [noting("ordering")]);
	await transport.publish(event(1));
	expect([await effectsOf(db, "pos"), await effectsOf(db, "ordering")]).toEqual([{ a: [1] }, { a: [1] }]);
});

test("an event of another type is not delivered", async () => {
	await consume("pos", [noting("pos")]);
	await transport.publish({ ...event(1), type: "trial.counter.removed" });
	expect(await effectsOf(db, "pos")).toEqual({});
	expect(await db.query("select from inbox")).toEqual([]);
});

test("an event that comes again, later or at the same time, has no second effect", async () => {
	await consume("pos", [noting("pos")]);
	const once = event(1);
	await Promise.all([transport.publish(once), transport.publish(once), transport.publish(once)]);
	await transport.publish(once);
	await transport.publish(event(2));
	expect(await effectsOf(db, "pos")).toEqual({ a: [1, 2] });
	expect(await db.query("select deliveries from inbox order by applied_at")).toEqual([
		{ deliveries: 4 },
		{ deliveries: 1 },
	]);
});

test("an effect that fails leaves nothing behind and is had when the event comes again", async () => {
	let isBroken = true;
	const failing = noting("pos", undefined, async () => {
		if (isBroken) throw new Error("broken");
	});
	await consume("pos", [failing]);
	const once = event(1);
	await expect(transport.publish(once)).rejects.toThrow("1 of 1 consumers failed");
	expect(told).toEqual(["apply: broken"]);
	expect([await effectsOf(db, "pos"), await db.query("select from inbox")]).toEqual([{}, []]);
	isBroken = false;
	await transport.publish(once);
	await transport.publish(once);
	expect(await effectsOf(db, "pos")).toEqual({ a: [1] });
});

test("of two deliveries at once the second has the effect when the first fails", async () => {
	let attempts = 0;
	const failingOnce = noting("pos", undefined, async () => {
		attempts += 1;
		if (attempts === 1) throw new Error("broken");
	});
	await consume("pos", [failingOnce]);
	const once = event(1);
	const outcomes = await Promise.allSettled([transport.publish(once), transport.publish(once)]);
	expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
	expect(await effectsOf(db, "pos")).toEqual({ a: [1] });
});

test("a failing service does not keep others from the effect, and gets every event itself, in order, when it recovers", async () => {
	let isBroken = true;
	const failing = noting("pos", async ({ data }) => {
		if (isBroken && (data as { n: number }).n === 2) throw new Error("broken");
	});
	await consume("pos", [failing]);
	await consume("ordering", [noting("ordering")]);
	const clock = standingClock();
	const relay = startRelay({ db, transport, now: clock.now, onError, intervalMs: 3_600_000 });
	stops.push(relay.stop);
	for (let n = 0; n < 4; n += 1) await count(db, "a", clock.now());
	await count(db, "b", clock.now());
	for (let round = 0; round < 5; round += 1) {
		await relay.flush();
		clock.advance(3_600_000);
	}
	expect(await effectsOf(db, "pos")).toEqual({ a: [1], b: [1] });
	expect(await effectsOf(db, "ordering")).toEqual({ a: [1, 2], b: [1] });
	isBroken = false;
	await relay.flush();
	expect(await effectsOf(db, "pos")).toEqual({ a: [1, 2, 3, 4], b: [1] });
	expect(await effectsOf(db, "ordering")).toEqual({ a: [1, 2, 3, 4], b: [1] });
});

test("data that does not fit the contract has no effect and is not noted as applied", async () => {
	let isApplied = false;
	const watching = defineConsumer(counted, async () => {
		isApplied = true;
	});
	await consume("pos", [watching]);
	await expect(transport.publish({ ...event(1), data: { n: "many" } })).rejects.toThrow(
		"1 of 1 consumers failed",
	);
	await expect(transport.publish({ ...event(1), id: "7" })).rejects.toThrow("1 of 1 consumers failed");
	expect(told).toEqual([
		"apply: the data of trial.counter.counted does not fit its contract: /n must be integer",
		'apply: the event does not fit its contract: /id must match format "uuid"',
	]);
	expect(isApplied).toBe(false);
	expect(await db.query("select from inbox")).toEqual([]);
});

test("a member the contract does not name yet is no fault", async () => {
	await consume("pos", [noting("pos")]);
	await transport.publish({ ...event(1), data: { n: 1, colour: "red" } });
	expect(await effectsOf(db, "pos")).toEqual({ a: [1] });
});

test("two consumers of one type in a service happen together or not at all", async () => {
	let isBroken = true;
	const failing = noting("second", async () => {
		if (isBroken) throw new Error("broken");
	});
	await consume("pos", [noting("first"), failing]);
	const once = event(1);
	await expect(transport.publish(once)).rejects.toThrow();
	expect(await effectsOf(db, "first")).toEqual({});
	isBroken = false;
	await transport.publish(once);
	expect([await effectsOf(db, "first"), await effectsOf(db, "second")]).toEqual([{ a: [1] }, { a: [1] }]);
});

test("stopping waits for the effect under way and takes no other event", async () => {
	let release = () => {};
	const gate = new Promise<void>((resolve) => {
		release = resolve;
	});
	const { stop } = await startConsumers({
		service: "pos",
		db,
		transport,
		consumers: [noting("pos", () => gate)],
		onError,
	});
	const publishing = transport.publish(event(1));
	let isStopped = false;
	const stopping = stop().then(() => {
		isStopped = true;
	});
	await transport.publish(event(2));
	expect(isStopped).toBe(false);
	release();
	await Promise.all([stopping, publishing]);
	expect(await effectsOf(db, "pos")).toEqual({ a: [1] });
});

test("a note is removed 30 days after the event was last seen", async () => {
	const clock = standingClock();
	const day = 24 * 3_600_000;
	const [forgotten, seenAgain] = [event(1), event(2)];
	const first = await startConsumers({
		service: "pos",
		db,
		transport,
		consumers: [noting("pos")],
		onError,
		now: clock.now,
	});
	await transport.publish(forgotten);
	await transport.publish(seenAgain);
	clock.advance(29 * day);
	await transport.publish(seenAgain);
	clock.advance(2 * day);
	await first.stop();

	await consume("pos", [noting("pos")], clock.now);
	await expect
		.poll(() => db.query("select event_id from inbox"), patient)
		.toEqual([{ event_id: seenAgain.id }]);
	expect(await effectsOf(db, "pos")).toEqual({ a: [1, 2] });
});
