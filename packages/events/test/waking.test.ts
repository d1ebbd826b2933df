/** A process learns of its own commits and does not wait for a poll. */
import { setTimeout as sleep } from "node:timers/promises";
import {
	inProcessTransport,
	listDeadLetters,
	redriveDeadLetter,
	startConsumers,
	type Transport,
} from "@lango/events";
import { type Database, openPool, type Pool } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { deliveriesSignal } from "../src/inbox/deliveries.store.ts";
import { outboxSignal } from "../src/outbox/outbox.store.ts";
import { count, createTrialDatabase, effectsOf, emptyAll, event, manualClock, noting } from "./trial.ts";

const hour = 3_600_000;
const database = setUp(createTrialDatabase, ({ drop }) => drop());
let owner: Pool;
let db: Database;
let transport: Transport;
let stop = async () => {};

beforeAll(async () => {
	owner = openPool({ url: database.ownerUrl, name: "owner", sizeMax: 1 });
	({ db } = database);
});
beforeEach(async () => {
	await emptyAll(owner);
	transport = inProcessTransport();
});
afterEach(async () => {
	await stop();
	await transport.close();
});
afterAll(() => owner.close());

test("an event wakes the relay at its commit, and not at a rollback", async () => {
	let wakes = 0;
	const ignore = db.onSignal(outboxSignal, () => {
		wakes += 1;
	});
	const broken = db.transaction(async (tx) => {
		await count(tx, "a");
		throw new Error("changed its mind");
	});
	await expect(broken).rejects.toThrow("changed its mind");
	expect(wakes).toBe(0);
	await count(db, "a");
	expect(wakes).toBe(1);
	ignore();
});

test("an event that is stored while the last free lane looks for the last time is applied", async () => {
	let release = () => {};
	const gate = new Promise<void>((resolve) => {
		release = resolve;
	});
	let looks = 0;
	const slow: Database = {
		...db,
		// A poll finds nothing.
		query: (text, values) => (text.includes("as has_due") ? Promise.resolve([]) : db.query(text, values)),
		transaction: async (work) => {
			const result = await db.transaction(work);
			looks += 1;
			// The lane has looked for retries and for new events, and found none.
			if (looks === 2) await gate;
			return result;
		},
	};
	const one = { service: "pos", transport, consumers: [noting("pos")], effectsAtOnce: 1 };
	({ stop } = await startConsumers({ ...one, db: slow, intervalMs: hour, onError: () => {} }));
	await expect.poll(() => looks).toBe(2);
	await transport.publish(event(1));
	release();
	await expect.poll(() => effectsOf(db, "pos")).toEqual({ a: [1] });
});

test("a dead letter that is redriven in this process is applied at once, between two polls", async () => {
	const clock = manualClock();
	let isBroken = true;
	const consumer = noting("pos", async () => {
		if (isBroken) throw new Error("broken");
	});
	const common = { service: "pos", db, transport, consumers: [consumer], now: clock.now };
	({ stop } = await startConsumers({ ...common, intervalMs: hour, onError: () => {} }));
	await transport.publish(event(1));
	const dead = async () => (await listDeadLetters(db, { service: "pos" })).items;
	await expect
		.poll(async () => {
			clock.advance(hour);
			db.signal(deliveriesSignal);
			return (await dead()).length;
		})
		.toBe(1);
	isBroken = false;
	// The pause is two seconds long now.
	await sleep(1_700);
	const [letter] = await dead();
	let wakes = 0;
	const ignore = db.onSignal(deliveriesSignal, () => {
		wakes += 1;
	});
	await redriveDeadLetter(db, { service: "pos", id: letter?.id ?? "", now: clock.now() });
	await expect.poll(() => effectsOf(db, "pos"), { timeout: 1_000, interval: 5 }).toEqual({ a: [1] });
	expect(wakes).toBe(1);
	ignore();
});
