import type { EventEnvelope } from "@lango/contracts";
import {
	discardDeadLetter,
	listDeadLetters,
	natsTransport,
	requestReplay,
	startConsumers,
	startRelay,
	type Transport,
	TransportUnavailable,
} from "@lango/events";
import { type Database, openPool, type Pool } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { connect } from "@nats-io/transport-node";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { busKinds, kinds, type Stand } from "./buses.ts";
import { count, counted, createTrialDatabase, effectsOf, emptyAll, event, noting } from "./trial.ts";

/** Generous, because the machine may be busy. */
const patient = { timeout: 20_000 };
const slowly = { timeout: 60_000 };

const database = setUp(createTrialDatabase, ({ drop }) => drop());
let db: Database;
let owner: Pool;
let stand: Stand;
let transport: Transport;
let errors: string[] = [];
let stops: Array<() => Promise<void>> = [];

beforeAll(async () => {
	db = database.db;
	owner = openPool({ url: database.ownerUrl, name: "owner", sizeMax: 1 });
});
beforeEach(() => {
	errors = [];
});
afterEach(async () => {
	for (const stop of stops.toReversed()) await stop();
	stops = [];
	await stand.close();
});
afterAll(() => owner.close());

const onError = (error: unknown, about: string) => void errors.push(`${about}: ${(error as Error).message}`);
const now = () => new Date();

async function open(kind: (typeof kinds)[number]): Promise<void> {
	await emptyAll(owner);
	stand = await kind.open();
	transport = stand.connect("trial", onError);
	await expect.poll(() => transport.check().then(() => "up", String), patient).toBe("up");
}

async function consume(service: string, consumers = [noting(service)], on = transport) {
	const { stop } = await startConsumers({ service, db, transport: on, consumers, onError, intervalMs: 100 });
	stops.push(stop);
	return stop;
}

async function relay(): Promise<void> {
	const { stop } = startRelay({ db, transport, now, onError, intervalMs: 50 });
	stops.push(stop);
}

const unpublished = () =>
	expect.poll(() => db.query("select from outbox where published_at is null"), patient);
const effects = (service: string) => expect.poll(() => effectsOf(db, service), slowly);
const counts = (subject: string, times: number) =>
	Array.from({ length: times }).reduce<Promise<void>>(
		(before) => before.then(() => count(db, subject)).then(() => undefined),
		Promise.resolve(),
	);

/** The observed events as text, including gaps. */
async function observe(on: Transport): Promise<string[]> {
	const received: string[] = [];
	const { stop } = await on.observe({
		types: [counted.type],
		deliver: ({ subject, data }) => void received.push(`${subject}${(data as { n: number }).n}`),
		onGap: () => void received.push("gap"),
		onError,
	});
	stops.push(stop);
	return received;
}

describe.each(kinds)("$name", (kind) => {
	test("a new service receives all events from the beginning, in order", async () => {
		await open(kind);
		await relay();
		await counts("a", 3);
		await counts("b", 2);
		await unpublished().toHaveLength(0);
		await consume("pos");
		await effects("pos").toEqual({ a: [1, 2, 3], b: [1, 2] });
		await counts("a", 1);
		await effects("pos").toEqual({ a: [1, 2, 3, 4], b: [1, 2] });
	});

	test("a newly subscribed type is read from the beginning, and the other types have no second effect", async () => {
		await open(kind);
		await relay();
		const other = { ...counted, type: "trial.counter.removed" };
		const stop = await consume("pos", [{ ...noting("pos"), eventType: other }]);
		await counts("a", 3);
		await unpublished().toHaveLength(0);
		await stop();
		await consume("pos", [noting("pos"), { ...noting("pos"), eventType: other }]);
		await effects("pos").toEqual({ a: [1, 2, 3] });
	});

	test("a replay delivers missing events without second effects, and with `again` applies every event since then once more", async () => {
		await open(kind);
		await relay();
		await consume("pos");
		await counts("a", 2);
		await effects("pos").toEqual({ a: [1, 2] });
		await new Promise((resolve) => setTimeout(resolve, 20));
		const since = now();
		await counts("a", 2);
		await effects("pos").toEqual({ a: [1, 2, 3, 4] });
		expect(await requestReplay(db, { service: "unknown" })).toBe(0);
		expect(await requestReplay(db, { service: "pos" })).toBe(1);
		await expect
			.poll(() => db.query("select from readings where replay_from is not null"), patient)
			.toHaveLength(0);
		expect(await effectsOf(db, "pos")).toEqual({ a: [1, 2, 3, 4] });
		await requestReplay(db, { service: "pos", since, again: true });
		await effects("pos").toEqual({ a: [1, 2, 3, 4, 3, 4] });
		await requestReplay(db, { service: "pos", again: true });
		await effects("pos").toEqual({ a: [1, 2, 3, 4, 3, 4, 1, 2, 3, 4] });
	});

	test("every observing process is notified in order, only of its types, and not after it stopped", async () => {
		await open(kind);
		const first = await observe(transport);
		const second = await observe(transport);
		for (const n of [1, 2, 3]) await transport.publish(event(n));
		await transport.publish(event(4, "a", { type: "trial.counter.removed" }));
		await expect
			.poll(() => [first, second], patient)
			.toEqual([
				["a1", "a2", "a3"],
				["a1", "a2", "a3"],
			]);
		for (const stop of stops.splice(0)) await stop();
		await transport.publish(event(5));
		await new Promise((resolve) => setTimeout(resolve, 50));
		expect(first).toEqual(["a1", "a2", "a3"]);
	});

	test("replaySince delivers events since a time in order up to now, and throws the error of the callback", async () => {
		await open(kind);
		await relay();
		await counts("a", 300);
		await unpublished().toHaveLength(0);
		await new Promise((resolve) => setTimeout(resolve, 20));
		const since = now();
		await counts("a", 300);
		await unpublished().toHaveLength(0);
		const received: number[] = [];
		const deliver = ({ data }: EventEnvelope) => void received.push((data as { n: number }).n);
		const replay = { types: [counted.type], since, deliver, onError };
		await transport.replaySince(replay);
		expect(received).toEqual(Array.from({ length: 300 }, (_, index) => index + 301));
		await transport.replaySince({ ...replay, since: now() });
		await transport.replaySince({ ...replay, types: ["nothing.was_published"] });
		expect(received).toHaveLength(300);
		const throwing = () => {
			throw new Error("no");
		};
		await expect(transport.replaySince({ ...replay, deliver: throwing })).rejects.toThrow("no");
	});
});

describe.each(busKinds)("$name alone", (kind) => {
	const busOf = () => {
		if (stand.bus === undefined) throw new Error("there is no bus");
		return stand.bus;
	};

	test(
		"while the bus is unavailable, publishing fails as such, readiness fails, and events wait; afterwards everything continues in order",
		slowly,
		async () => {
			await open(kind);
			await relay();
			await consume("pos");
			const received = await observe(transport);
			await counts("a", 5);
			await effects("pos").toEqual({ a: [1, 2, 3, 4, 5] });
			await busOf().kill();
			await expect
				.poll(() => transport.check().catch((error) => error), patient)
				.toBeInstanceOf(TransportUnavailable);
			await expect(transport.publish(event(0))).rejects.toThrow(TransportUnavailable);
			await counts("a", 5);
			await counts("b", 5);
			expect(await db.query("select distinct attempts from outbox")).toEqual([{ attempts: 0 }]);
			await busOf().restart();
			await effects("pos").toEqual({ a: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], b: [1, 2, 3, 4, 5] });
			expect(received).toContain("gap");
		},
	);

	test(
		"a transport can be created while the bus is unavailable, and works once it is available",
		slowly,
		async () => {
			await open(kind);
			await busOf().kill();
			transport = stand.connect("early", onError);
			await relay();
			await consume("pos");
			const received = await observe(transport);
			await counts("a", 2);
			await busOf().restart();
			await effects("pos").toEqual({ a: [1, 2] });
			expect(received[0]).toBe("gap");
		},
	);

	test("killing the bus repeatedly under load loses and duplicates nothing", {
		timeout: 120_000,
	}, async () => {
		await open(kind);
		await relay();
		await consume("pos");
		await consume("pos", [noting("pos")], stand.elsewhere("second", onError));
		let isOver = false;
		const subjects = ["a", "b", "c"];
		const load = subjects.map(async (subject) => {
			let times = 0;
			for (; !isOver; times += 1) {
				await count(db, subject);
				await new Promise((resolve) => setTimeout(resolve, 10));
			}
			return times;
		});
		for (let round = 0; round < 3; round += 1) {
			await new Promise((resolve) => setTimeout(resolve, 700));
			await busOf().kill();
			await new Promise((resolve) => setTimeout(resolve, round * 1_500));
			await busOf().restart();
		}
		await new Promise((resolve) => setTimeout(resolve, 700));
		isOver = true;
		const times = await Promise.all(load);
		const expected = subjects.map((subject, at) => [
			subject,
			Array.from({ length: times[at] ?? 0 }, (_, n) => n + 1),
		]);
		await effects("pos").toEqual(Object.fromEntries(expected));
	});

	test("a bus that lost its store is read from its new beginning", slowly, async () => {
		await open(kind);
		await relay();
		await consume("pos");
		await counts("a", 3);
		await effects("pos").toEqual({ a: [1, 2, 3] });
		await busOf().kill();
		await busOf().forget();
		await busOf().restart();
		await counts("a", 1);
		await effects("pos").toEqual({ a: [1, 2, 3, 4] });
	});

	test("an unreadable message becomes a dead letter, and the next event is applied", async () => {
		await open(kind);
		await consume("pos");
		await transport.publish(event(1));
		const nc = await connect({ servers: new URL(busOf().url).host });
		for (const bytes of ["{", "null", JSON.stringify({ ...event(9), type: "trial.counter.removed" })])
			nc.publish(counted.type, bytes);
		nc.publish(counted.type, new Uint8Array([0xff, 0xfe]));
		await nc.flush();
		await nc.close();
		await transport.publish(event(2));
		await effects("pos").toEqual({ a: [1, 2] });
		const letters = await db.query("select reason from deliveries order by position");
		expect(letters.map(({ reason }) => reason)).toEqual([
			"the event is not valid JSON",
			expect.stringContaining("the event does not fit its contract"),
			"the event has the type trial.counter.removed but was published as trial.counter.counted",
			"the event is not valid JSON",
		]);
	});

	test("an unreadable message is one dead letter for any number of replays, and none after it was discarded", async () => {
		await open(kind);
		await consume("pos");
		const nc = await connect({ servers: new URL(busOf().url).host });
		await transport.publish(event(1));
		for (const bytes of ["{", "{", "[]"]) nc.publish(counted.type, bytes);
		await nc.flush();
		await nc.close();
		await effects("pos").toEqual({ a: [1] });
		const letters = async () =>
			(await listDeadLetters(db, { service: "pos" })).items.map(({ id, body }) => ({ id, body }));
		const replayed = async () => {
			await requestReplay(db, { service: "pos" });
			await expect
				.poll(() => db.query("select from readings where replay_from is not null"), patient)
				.toHaveLength(0);
			const sequence = () => db.query<{ sequence: bigint }>("select sequence from readings");
			await expect.poll(async () => Number((await sequence())[0]?.sequence), patient).toBe(4);
		};
		await expect.poll(letters, patient).toHaveLength(3);
		const before = await letters();
		await replayed();
		expect(await letters()).toEqual(before);
		await discardDeadLetter(db, { service: "pos", id: before[0]?.id ?? "", now: now() });
		await replayed();
		expect(await letters()).toEqual(before.slice(1));
	});

	test(
		"after a reader dies with messages in flight, the next reader stores them in order",
		slowly,
		async () => {
			await open(kind);
			for (let n = 1; n <= 20; n += 1) await transport.publish(event(n));
			const broken: Database = {
				...db,
				query: (text, values) =>
					text.includes("insert into deliveries")
						? Promise.reject(new Error("lost"))
						: db.query(text, values),
				transaction: (work) => db.transaction(work),
			};
			const dying = await startConsumers({
				service: "pos",
				db: broken,
				transport: stand.elsewhere("dying", onError),
				consumers: [noting("pos")],
				onError,
			});
			await expect.poll(() => errors, patient).toContain("read TRIAL: lost");
			await dying.stop();
			for (let n = 21; n <= 25; n += 1) await transport.publish(event(n));
			await consume("pos");
			await effects("pos").toEqual({ a: Array.from({ length: 25 }, (_, n) => n + 1) });
		},
	);

	test("an invalid URL and an invalid consumer name are refused", async () => {
		await open(kind);
		expect(() => natsTransport({ url: "http://localhost:4222", name: "x", onError })).toThrow(
			"the address of the bus must have the form nats://host:4222",
		);
		await expect(
			startConsumers({ service: "a.b", db, transport, consumers: [noting("x")], onError }),
		).rejects.toThrow('"a.b" is not a valid consumer name');
	});
});
