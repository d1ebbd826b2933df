import { authUserCreated, authUserDeleted, type EventEnvelope } from "@lango/contracts";
import { defineConsumer, inProcessTransport, listDeadLetters, startConsumers } from "@lango/events";
import type { Database } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { counted, createTrialDatabase, event, fastClock } from "./trial.ts";

const database = setUp(createTrialDatabase, ({ drop }) => drop());
let db: Database;
beforeAll(async () => {
	db = database.db;
});

let person = "";
let people = 0;
let transport = inProcessTransport();
let service = "";
const errors: string[] = [];
/** What was applied about the person, in order. */
const done: string[] = [];
let creating: (envelope: EventEnvelope) => Promise<void>;
let counting: (envelope: EventEnvelope) => Promise<void>;
let stop = async () => {};
beforeEach(() => {
	people += 1;
	person = `0197a000-0000-7000-8000-0000000100${String(people).padStart(2, "0")}`;
	service = `pos-${people}`;
	transport = inProcessTransport();
	errors.length = 0;
	done.length = 0;
	creating = async () => {};
	counting = async () => {};
});
afterEach(() => stop());

const broken = async () => {
	throw new Error("not yet");
};
const data = () => ({
	user_id: person,
	email: "amina@uhai.example",
	name: "Amina",
	roles: ["staff"],
	status: "active",
});
const created = () => event(0, person, { type: authUserCreated.type, data: data() });
const deleted = () => event(0, person, { type: authUserDeleted.type, data: { user_id: person, version: 1 } });
const start = async (now = () => new Date()) => {
	({ stop } = await startConsumers({
		service,
		db,
		transport,
		now,
		intervalMs: 20,
		onError: (error) => void errors.push((error as Error).message),
		consumers: [
			defineConsumer(authUserCreated, async (_, envelope) => {
				await creating(envelope);
				done.push("created");
			}),
			defineConsumer(counted, async (_, envelope) => {
				await counting(envelope);
				done.push(`counted for ${String((envelope.data as Record<string, unknown>)["name"])}`);
			}),
			defineConsumer(authUserDeleted, async () => void done.push("deleted")),
		],
	}));
};
const waiting = () =>
	db.query<{ type: string; held: boolean; dead: boolean }>(
		`select type, is_held as held, dead_at is not null as dead from deliveries where consumer = $1 order by position`,
		[service],
	);
const holds = (text: string) =>
	db.query("select from deliveries where consumer = $1 and position(convert_to($2, 'UTF8') in body) > 0", [
		service,
		text,
	]);

test("auth.user.deleted is applied past a dead letter about the same person, and their waiting events are discarded", async () => {
	creating = broken;
	await start(fastClock(Date.now()));
	const [first, second] = [created(), created()];
	await transport.publish(first);
	await expect
		.poll(async () => (await listDeadLetters(db, { service })).items.length, { timeout: 20_000 })
		.toBe(1);
	await transport.publish(second);
	await expect.poll(waiting).toHaveLength(2);
	await transport.publish(deleted());
	await expect.poll(() => done).toEqual(["deleted"]);
	await expect.poll(waiting).toEqual([]);
	expect(errors.at(-1)).toBe("discarded 2 events: the person is erased");
	creating = async () => {};
	await transport.publish(first);
	await transport.publish(second);
	const seen = () => db.query("select from inbox where consumer = $1 and deliveries = 2", [service]);
	await expect.poll(seen).toHaveLength(2);
	expect([done, await waiting()]).toEqual([["deleted"], []]);
}, 40_000);

test("auth.user.deleted is applied past an event that waits for a retry, and later events continue", async () => {
	creating = broken;
	await start();
	await transport.publish(created());
	await expect.poll(waiting).toEqual([{ type: authUserCreated.type, held: true, dead: false }]);
	creating = async () => {};
	await db.query("update deliveries set next_attempt_at = now() + interval '1 hour' where consumer = $1", [
		service,
	]);
	counting = broken;
	await transport.publish(event(1, person, { data: { n: 1, ...data() } }));
	await transport.publish(deleted());
	await expect.poll(() => done).toEqual(["deleted"]);
	// An event of another service about the person's id is not discarded: it is applied without personal data.
	await expect.poll(() => holds("amina@uhai.example")).toEqual([]);
	counting = async () => {};
	await expect.poll(() => done).toEqual(["deleted", "counted for "]);
	await expect.poll(waiting).toEqual([]);
});

test("an event of another service about the person stays a dead letter without their name, and does not delay their erasure", async () => {
	counting = broken;
	await start(fastClock(Date.now()));
	await transport.publish(event(1, person, { data: { n: 1, ...data() } }));
	await expect
		.poll(async () => (await listDeadLetters(db, { service })).items.length, { timeout: 20_000 })
		.toBe(1);
	await transport.publish(deleted());
	await expect.poll(() => done).toEqual(["deleted"]);
	await expect.poll(waiting).toEqual([{ type: counted.type, held: true, dead: true }]);
	expect([await holds("Amina"), await holds("amina@uhai.example")]).toEqual([[], []]);
}, 40_000);

test("an event about the person that is being applied, for the first time or again, comes before their erasure", async () => {
	for (const isAgain of [false, true]) {
		done.length = 0;
		const under = Promise.withResolvers<void>();
		const go = Promise.withResolvers<void>();
		let tries = 0;
		creating = async () => {
			tries += 1;
			if (isAgain && tries === 1) throw new Error("not yet");
			under.resolve();
			await go.promise;
		};
		await start();
		await transport.publish(created());
		await under.promise;
		await transport.publish(deleted());
		await expect.poll(waiting).toContainEqual({ type: authUserDeleted.type, held: false, dead: false });
		// Enough time for the erasure to overtake, if it could.
		await new Promise((resolve) => setTimeout(resolve, 200));
		expect(done).toEqual([]);
		go.resolve();
		await expect.poll(() => done).toEqual(["created", "deleted"]);
		await expect.poll(waiting).toEqual([]);
		await stop();
		person = person.replace("0100", "0200");
	}
});

test("a failed erasure is retried and blocks later events, like every event", async () => {
	await start();
	await stop();
	let isBroken = true;
	const consumers = [
		defineConsumer(authUserDeleted, async () => {
			if (isBroken) throw new Error("not yet");
			done.push("deleted");
		}),
		defineConsumer(counted, async () => void done.push("counted")),
	];
	({ stop } = await startConsumers({ service, db, transport, consumers, intervalMs: 20, onError: () => {} }));
	await transport.publish(deleted());
	await expect.poll(async () => (await waiting())[0]?.held).toBe(true);
	await transport.publish(event(1, person));
	await expect.poll(waiting).toHaveLength(2);
	expect(done).toEqual([]);
	isBroken = false;
	await expect.poll(() => done).toEqual(["deleted", "counted"]);
});

test("an erasure that an older release made wait is released", async () => {
	creating = broken;
	await start();
	await transport.publish(created());
	await expect.poll(async () => (await waiting())[0]?.held).toBe(true);
	await stop();
	await db.query(
		`insert into deliveries (consumer, event_id, type, subject, body, received_at, is_held)
		 values ($1, $2, $3, $4, $5, now(), true)`,
		[service, deleted().id, authUserDeleted.type, person, Buffer.from(JSON.stringify(deleted()))],
	);
	await start();
	await expect.poll(() => done).toEqual(["deleted"]);
	await expect.poll(waiting).toEqual([]);
});
