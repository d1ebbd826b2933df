import {
	type Consumer,
	type ConsumersOptions,
	defineConsumer,
	discardDeadLetter,
	listDeadLetters,
	redriveDeadLetter,
	startConsumers,
	startRelay,
	type Transport,
} from "@lango/events";
import { type Database, openPool, type Pool } from "@lango/postgres";
import type { TestDatabase } from "@lango/testkit";
import Type from "typebox";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { kinds, type Stand } from "./buses.ts";
import {
	count,
	counted,
	createTrialDatabase,
	effectsOf,
	emptyAll,
	endingLate,
	event,
	manualClock,
	noting,
} from "./trial.ts";

/** Generous, because the machine may be busy. */
const patient = { timeout: 20_000 };
const minute = 60_000;

describe.each(kinds)("$name", ({ open }) => {
	let database: TestDatabase;
	let db: Database;
	let owner: Pool;
	let stand: Stand;
	let transport: Transport;
	let clock = manualClock();
	let errors: string[] = [];
	let stops: Array<() => Promise<void>> = [];

	beforeAll(async () => {
		database = await createTrialDatabase();
		db = database.db;
		owner = openPool({ url: database.ownerUrl, name: "owner", sizeMax: 1 });
	});
	beforeEach(async () => {
		await emptyAll(owner);
		clock = manualClock();
		errors = [];
		stand = await open();
		transport = stand.connect("trial", onError);
		await expect.poll(() => transport.check().then(() => "up", String), patient).toBe("up");
	});
	afterEach(async () => {
		for (const stop of stops.toReversed()) await stop();
		stops = [];
		await stand.close();
	});
	afterAll(async () => {
		await owner.close();
		await database.drop();
	});

	const onError = (error: unknown, about: string) =>
		void errors.push(`${about.split(" ")[0]}: ${(error as Error).message}`);

	/** Two lanes may attempt an event before its failure is recorded. */
	const distinctErrors = () => [...new Set(errors)];

	async function consume(
		service: string,
		consumers: readonly Consumer[],
		more: Partial<ConsumersOptions> = {},
	) {
		const options = { service, db, transport, consumers, onError, now: clock.now, intervalMs: 20, ...more };
		const { stop } = await startConsumers(options);
		stops.push(stop);
		return stop;
	}

	/** Fails for the listed counts of one subject. */
	const failingAt = (service: string, bad: Set<number>, subject = "a") =>
		noting(service, async (envelope) => {
			const { n } = envelope.data as { n: number };
			if (envelope.subject === subject && bad.has(n)) throw new Error(`${n} is broken`);
		});

	const effects = (service: string) => expect.poll(() => effectsOf(db, service), patient);
	const deadOf = async (service: string) => (await listDeadLetters(db, { service })).items;

	async function publishAll(numbers: readonly number[], subject = "a"): Promise<void> {
		for (const n of numbers) await transport.publish(event(n, subject));
	}

	/** Makes an event fail until it is a dead letter. */
	async function failToTheEnd(service: string): Promise<void> {
		await expect
			.poll(async () => {
				clock.advance(15 * minute);
				return (await deadOf(service)).length;
			}, patient)
			.toBe(1);
	}

	test("an event reaches every service that consumes its type, and each applies it", async () => {
		await consume("pos", [noting("pos")]);
		await consume("ordering", [noting("ordering")]);
		await publishAll([1, 2]);
		await effects("pos").toEqual({ a: [1, 2] });
		await effects("ordering").toEqual({ a: [1, 2] });
	});

	test("an event of another type is not delivered", async () => {
		await consume("pos", [noting("pos")]);
		await transport.publish(event(1, "a", { type: "trial.counter.removed" }));
		await publishAll([2]);
		await effects("pos").toEqual({ a: [2] });
		expect(await db.query("select from inbox")).toHaveLength(1);
	});

	test("a duplicate event has no second effect, later or concurrently", async () => {
		await consume("pos", [noting("pos")]);
		const once = event(1);
		await Promise.all([transport.publish(once), transport.publish(once), transport.publish(once)]);
		await effects("pos").toEqual({ a: [1] });
		await transport.publish(once);
		await publishAll([2]);
		await effects("pos").toEqual({ a: [1, 2] });
	});

	test("a failed effect is rolled back and applied by the retry", async () => {
		const bad = new Set([1]);
		await consume("pos", [
			noting("pos", undefined, async () => {
				if (bad.has(1)) throw new Error("broken");
			}),
		]);
		await publishAll([1]);
		await expect.poll(distinctErrors, patient).toEqual(["apply: broken"]);
		expect([await effectsOf(db, "pos"), await db.query("select from inbox")]).toEqual([{}, []]);
		bad.clear();
		clock.advance(1_000);
		await effects("pos").toEqual({ a: [1] });
	});

	test("a failed event blocks later ones of its subject, but no other subject and no other service", async () => {
		const bad = new Set([2]);
		await consume("pos", [failingAt("pos", bad)]);
		await consume("ordering", [noting("ordering")]);
		await publishAll([1, 2, 3]);
		await publishAll([1, 2], "b");
		await effects("ordering").toEqual({ a: [1, 2, 3], b: [1, 2] });
		await effects("pos").toEqual({ a: [1], b: [1, 2] });
		await publishAll([4]);
		await effects("ordering").toEqual({ a: [1, 2, 3, 4], b: [1, 2] });
		bad.clear();
		clock.advance(1_000);
		await effects("pos").toEqual({ a: [1, 2, 3, 4], b: [1, 2] });
	});

	test("an event that fails ten times becomes a dead letter with its reason; later ones of its subject wait until it is redriven", async () => {
		const bad = new Set([1]);
		await consume("pos", [failingAt("pos", bad)]);
		await publishAll([1, 2, 3]);
		await failToTheEnd("pos");
		const [letter] = await deadOf("pos");
		expect(letter).toMatchObject({
			type: counted.type,
			subject: "a",
			reason: "1 is broken",
			attempts: 10,
			waiting: 2,
		});
		// Two lanes may attempt an event before its failure is recorded.
		const countErrors = () => errors.filter((line) => line === "apply: 1 is broken").length;
		expect(countErrors()).toBeGreaterThanOrEqual(10);
		await publishAll([4]);
		await publishAll([1], "b");
		await effects("pos").toEqual({ b: [1] });

		const chosen = { service: "pos", id: letter?.id ?? "", now: clock.now() };
		const before = countErrors();
		expect(await redriveDeadLetter(db, chosen)).toBe(true);
		await expect.poll(countErrors, patient).toBeGreaterThan(before);
		expect(await redriveDeadLetter(db, chosen)).toBe(false);
		bad.clear();
		clock.advance(minute);
		await effects("pos").toEqual({ a: [1, 2, 3, 4], b: [1] });
		expect(await deadOf("pos")).toEqual([]);
	});

	test("a discarded dead letter is never applied, and the events behind it continue in order", async () => {
		const bad = new Set([1]);
		await consume("pos", [failingAt("pos", bad)]);
		const first = event(1);
		await transport.publish(first);
		await publishAll([2, 3]);
		await failToTheEnd("pos");
		const [letter] = await deadOf("pos");
		const chosen = { service: "pos", id: letter?.id ?? "", now: clock.now() };
		expect(await discardDeadLetter(db, { ...chosen, service: "ordering" })).toBe(false);
		expect(await discardDeadLetter(db, chosen)).toBe(true);
		expect(await discardDeadLetter(db, chosen)).toBe(false);
		await effects("pos").toEqual({ a: [2, 3] });
		bad.clear();
		await transport.publish(first);
		await publishAll([4]);
		await effects("pos").toEqual({ a: [2, 3, 4] });
	});

	test("an event whose data does not fit its contract becomes a dead letter and blocks no other", async () => {
		await consume("pos", [noting("pos")]);
		await transport.publish(event("many"));
		await publishAll([1, 2]);
		await effects("pos").toEqual({ a: [1, 2] });
		expect(await deadOf("pos")).toMatchObject([
			{
				reason: "the data of trial.counter.counted does not fit its contract: /n must be integer",
				waiting: 0,
			},
		]);
	});

	test("an unreadable message becomes a dead letter with a truncated body and blocks no other", async () => {
		await consume("pos", [noting("pos")]);
		await transport.publish({ ...event(1), id: "7" });
		await transport.publish(event("x".repeat(300_000)));
		await transport.publish(event("\0"));
		await publishAll([1]);
		await effects("pos").toEqual({ a: [1] });
		await expect.poll(async () => (await deadOf("pos")).length, patient).toBe(3);
		const letters = await deadOf("pos");
		expect(letters.map(({ reason }) => reason)).toEqual([
			'the event does not fit its contract: /id must match format "uuid"',
			expect.stringMatching(/^the event has 300\d+ bytes, the maximum is 262144$/),
			"the event contains the character U+0000",
		]);
		expect(letters.map(({ body }) => body.length <= 4_000)).toEqual([true, true, true]);
		expect(await db.query("select max(length(body)) as length from deliveries")).toEqual([
			{ length: 16_384 },
		]);
	});

	test("dead letters are listed in pages, in order of arrival", async () => {
		await consume("pos", [noting("pos")]);
		for (let n = 0; n < 5; n += 1) await transport.publish(event(`no ${n}`, `s${n}`));
		await expect.poll(async () => (await deadOf("pos")).length, patient).toBe(5);
		const first = await listDeadLetters(db, { service: "pos", limit: 3 });
		const second = await listDeadLetters(db, { service: "pos", limit: 3, cursor: first.nextCursor });
		expect(first.items).toHaveLength(3);
		expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(
			(await deadOf("pos")).map(({ id }) => id),
		);
		expect(second.nextCursor).toBeUndefined();
		await expect(listDeadLetters(db, { service: "pos", cursor: "x" })).rejects.toThrow(
			"the cursor is invalid",
		);
		expect(await redriveDeadLetter(db, { service: "pos", id: "x", now: clock.now() })).toBe(false);
	});

	test("members that the contract does not name are ignored", async () => {
		await consume("pos", [noting("pos")]);
		await transport.publish(event(1, "a", { data: { n: 1, colour: "red" } }));
		await effects("pos").toEqual({ a: [1] });
	});

	test("two consumers of one type in a service share a transaction", async () => {
		const bad = new Set([1]);
		await consume("pos", [noting("first"), failingAt("second", bad)]);
		await publishAll([1]);
		await expect.poll(distinctErrors, patient).toEqual(["apply: 1 is broken"]);
		expect(await effectsOf(db, "first")).toEqual({});
		bad.clear();
		clock.advance(1_000);
		await effects("second").toEqual({ a: [1] });
		expect(await effectsOf(db, "first")).toEqual({ a: [1] });
	});

	test("a state event with a lower version than the applied one is ignored, per subject and tenant", async () => {
		const stated = {
			...counted,
			type: "trial.thing.updated",
			data: Type.Object({ version: Type.Integer() }),
		};
		const gone = { ...stated, type: "trial.thing.deleted" };
		const seen: string[] = [];
		const see = (type: typeof stated) =>
			defineConsumer(type, async (_, { subject, tenantid = "-", data: { version } }) => {
				seen.push(`${type.type.split(".")[2]} ${subject} ${tenantid.slice(-1)} ${version}`);
			});
		await consume("pos", [see(stated), see(gone)], { effectsAtOnce: 1 });
		const tenant = (n: number) => ({ tenantid: `0197a000-0000-7000-8000-00000000000${n}` });
		const publishEvent = (version: number, subject: string, more: object) =>
			transport.publish(event(0, subject, { type: stated.type, data: { version }, ...more }));
		await publishEvent(5, "x", tenant(1));
		await publishEvent(4, "x", tenant(1));
		await publishEvent(4, "x", tenant(2));
		await publishEvent(5, "x", tenant(1));
		await publishEvent(7, "x", { type: gone.type });
		await publishEvent(6, "x", tenant(1));
		await publishEvent(1, "y", tenant(1));
		await expect
			.poll(() => seen, patient)
			.toEqual(["updated x 1 5", "updated x 2 4", "updated x 1 5", "deleted x - 7", "updated y 1 1"]);
		expect(await db.query("select from inbox")).toHaveLength(7);
	});

	test("a slow effect delays only its own subject", async () => {
		let release = () => {};
		const gate = new Promise<void>((resolve) => {
			release = resolve;
		});
		await consume("pos", [noting("pos", ({ subject }) => (subject === "a" ? gate : Promise.resolve()))]);
		await publishAll([1, 2]);
		await publishAll([1, 2, 3], "b");
		await effects("pos").toEqual({ b: [1, 2, 3] });
		release();
		await effects("pos").toEqual({ a: [1, 2], b: [1, 2, 3] });
	});

	test("stop waits for the running effect and starts no other; the next start applies the rest", async () => {
		let release = () => {};
		let began = false;
		const gate = new Promise<void>((resolve) => {
			release = resolve;
		});
		const noteSlowly = noting("pos", () => {
			began = true;
			return gate;
		});
		const stop = await consume("pos", [noteSlowly], { transport: endingLate(transport, gate) });
		await publishAll([1, 2]);
		await expect.poll(() => began, patient).toBe(true);
		let isStopped = false;
		const stopping = stop().then(() => {
			isStopped = true;
		});
		await new Promise((resolve) => setTimeout(resolve, 50));
		expect(isStopped).toBe(false);
		release();
		await stopping;
		expect(await effectsOf(db, "pos")).toEqual({ a: [1] });
		await consume("pos", [noting("pos")]);
		await effects("pos").toEqual({ a: [1, 2] });
	});

	test("two processes of one service apply each event once, in order", async () => {
		const slow = () => new Promise<void>((resolve) => setTimeout(resolve, 1));
		await consume("pos", [noting("pos", slow)]);
		await consume("pos", [noting("pos", slow)], { transport: stand.elsewhere("second", onError) });
		const subjects = ["a", "b", "c", "d"];
		const numbers = Array.from({ length: 25 }, (_, index) => index + 1);
		await Promise.all(subjects.map((subject) => publishAll(numbers, subject)));
		await effects("pos").toEqual(Object.fromEntries(subjects.map((subject) => [subject, numbers])));
		expect(errors).toEqual([]);
	});

	test("a service that was down catches up in order, also with a failing event", async () => {
		const bad = new Set([2]);
		const stop = await consume("pos", [failingAt("pos", bad)]);
		const relay = startRelay({ db, transport, now: clock.now, onError, intervalMs: 10 });
		stops.push(relay.stop);
		for (let n = 0; n < 3; n += 1) await count(db, "a", clock.now());
		await effects("pos").toEqual({ a: [1] });
		await stop();
		for (let n = 0; n < 3; n += 1) await count(db, "a", clock.now());
		await count(db, "b", clock.now());
		await expect
			.poll(() => db.query("select from outbox where published_at is null"), patient)
			.toHaveLength(0);
		bad.clear();
		clock.advance(minute);
		await consume("pos", [noting("pos")]);
		await effects("pos").toEqual({ a: [1, 2, 3, 4, 5, 6], b: [1] });
	});

	test("an inbox entry is removed 30 days after its event was last seen", async () => {
		const day = 24 * 60 * minute;
		const [forgotten, seenAgain] = [event(1), event(2)];
		const stop = await consume("pos", [noting("pos")]);
		await transport.publish(forgotten);
		await transport.publish(seenAgain);
		await effects("pos").toEqual({ a: [1, 2] });
		await owner.query("update inbox set seen_at = $1 where event_id = $2", [
			new Date(clock.now().getTime() + 29 * day),
			seenAgain.id,
		]);
		await stop();
		clock.advance(31 * day);
		await consume("pos", [noting("pos")]);
		await expect
			.poll(() => db.query("select event_id from inbox"), patient)
			.toEqual([{ event_id: seenAgain.id }]);
	});
});
