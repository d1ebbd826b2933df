import { republishEvents, startConsumers, startRelay, type Transport } from "@lango/events";
import { type Database, openPool, type Pool } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { busKinds, type Stand } from "./buses.ts";
import {
	count,
	countersOf,
	countUnpublished,
	createTrialDatabase,
	effectsOf,
	emptyAll,
	manualClock,
	noting,
	remembering,
} from "./trial.ts";

// Events that were published but possibly not read are published again from the outbox, which keeps them for
// seven days.

const patient = { timeout: 20_000 };
const database = setUp(createTrialDatabase, ({ drop }) => drop());
let db: Database;
let owner: Pool;
let stops: Array<() => Promise<void>> = [];

beforeAll(async () => {
	db = database.db;
	owner = openPool({ url: database.ownerUrl, name: "owner", sizeMax: 1 });
});
beforeEach(() => emptyAll(owner));
afterEach(async () => {
	for (const stop of stops.toReversed()) await stop();
	stops = [];
});
afterAll(() => owner.close());

const onError = () => undefined;

function relayTo(transport: Transport, now = () => new Date()) {
	const relay = startRelay({ db, transport, now, onError, intervalMs: 10 });
	stops.push(relay.stop);
	return relay;
}

test("events since a time are published again in their order and before newer ones; earlier events are not", async () => {
	const clock = manualClock();
	const { transport, published } = remembering();
	const relay = relayTo(transport, clock.now);
	await count(db, "a", clock.now());
	await relay.flush();
	clock.advance(60_000);
	const since = clock.now();
	for (let n = 0; n < 2_500; n += 1) await count(db, n % 2 ? "a" : "b", clock.now());
	await relay.flush();
	await relay.stop();
	published.splice(0);
	await count(db, "a", clock.now());
	expect(await republishEvents(db, { since })).toBe(2_500);
	expect(await republishEvents(db, { since })).toBe(0);
	const again = relayTo(transport, clock.now);
	await again.flush();
	const of = (subject: string) => published.filter((one) => one.subject === subject).map(({ n }) => n);
	expect(of("b")).toEqual(Array.from({ length: 1_250 }, (_, n) => n + 1));
	expect(of("a")).toEqual(Array.from({ length: 1_251 }, (_, n) => n + 2));
});

describe.each(busKinds)("$name", ({ open }) => {
	let stand: Stand;
	afterEach(async () => {
		for (const stop of stops.splice(0).toReversed()) await stop();
		await stand.close();
	});

	test("a bus that lost unread events receives them again, and consumers that have read them ignore them", {
		timeout: 60_000,
	}, async () => {
		stand = await open();
		const transport = stand.connect("trial", onError);
		await expect.poll(() => transport.check().then(() => "up", String), patient).toBe("up");
		const since = new Date();
		relayTo(transport);
		const start = async (service: string) => {
			const common = { service, db, transport, onError, intervalMs: 20 };
			const { stop } = await startConsumers({ ...common, consumers: [noting(service)] });
			stops.push(stop);
		};
		await start("pos");
		for (let n = 0; n < 20; n += 1) await count(db, n % 2 ? "a" : "b");
		const counters = await countersOf(db);
		await expect.poll(() => effectsOf(db, "pos"), patient).toEqual(counters);
		await stand.bus?.kill();
		await stand.bus?.forget();
		await stand.bus?.restart();
		await expect.poll(() => transport.check().then(() => "up", String), patient).toBe("up");
		await start("ordering");
		expect(await republishEvents(db, { since })).toBe(20);
		await expect.poll(() => effectsOf(db, "ordering"), { timeout: 30_000 }).toEqual(counters);
		await expect.poll(() => countUnpublished(db), patient).toBe(0);
		await expect
			.poll(() => transport.unread("pos"), patient)
			.toEqual([{ stream: "TRIAL", messages: 0, seconds: 0 }]);
		expect(await effectsOf(db, "pos")).toEqual(counters);
	});
});
