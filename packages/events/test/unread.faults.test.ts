import { startConsumers, type Transport } from "@lango/events";
import type { Database } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { busKinds, kinds, type Stand } from "./buses.ts";
import { createTrialDatabase, effectsOf, event, noting } from "./trial.ts";

// The messages that a service has not read from the bus: its inbox knows only those it has stored.

const patient = { timeout: 20_000 };
const database = setUp(createTrialDatabase, ({ drop }) => drop());
let db: Database;
let stand: Stand;
let transport: Transport;
let stops: Array<() => Promise<void>> = [];
let lost: Array<[string, number]> = [];

beforeAll(async () => {
	db = database.db;
});
beforeEach(() => {
	lost = [];
});
afterEach(async () => {
	for (const stop of stops.toReversed()) await stop();
	stops = [];
	await stand.close();
});

const onError = () => undefined;

async function open(kind: (typeof kinds)[number]): Promise<void> {
	stand = await kind.open();
	transport = stand.connect("trial", onError);
	await expect.poll(() => transport.check().then(() => "up", String), patient).toBe("up");
}

async function consume(service: string, on: Database = db) {
	const onLost = (stream: string, count: number) => void lost.push([stream, count]);
	const consumers = [noting(service)];
	const options = { service, db: on, transport, consumers, onError, onLost, intervalMs: 20 };
	const { stop } = await startConsumers(options);
	stops.push(stop);
	return stop;
}

/** A database that refuses to store messages. */
const closed = (): Database => ({
	...db,
	query: (text, values) =>
		text.includes("insert into deliveries") ? Promise.reject(new Error("full")) : db.query(text, values),
	transaction: (work) => db.transaction(work),
});

describe.each(kinds)("$name", (kind) => {
	test("a service that has read everything has no unread messages, and a service without subscriptions has no stream", async () => {
		await open(kind);
		const service = kind.name === "NATS" ? "pos" : "hospital";
		await consume(service);
		await transport.publish(event(1, kind.name));
		await expect.poll(async () => (await effectsOf(db, service))[kind.name], patient).toEqual([1]);
		await expect
			.poll(() => transport.unread(service), patient)
			.toEqual([{ stream: "TRIAL", messages: 0, seconds: 0 }]);
		expect(await transport.unread("unknown")).toEqual([]);
	});
});

describe.each(busKinds)("$name alone", (kind) => {
	const manager = async () => {
		const nc = await connect({ servers: stand.busUrl ?? "" });
		return { nc, jsm: await jetstreamManager(nc) };
	};

	test("messages that are delivered but not stored count as unread, with the age of the oldest", async () => {
		await open(kind);
		for (let n = 1; n <= 3; n += 1) await transport.publish(event(n, "waiting"));
		await consume("ordering", closed());
		await new Promise((resolve) => setTimeout(resolve, 1_500));
		const [unread] = await transport.unread("ordering");
		expect(unread).toMatchObject({ stream: "TRIAL", messages: 3 });
		expect(unread?.seconds).toBeGreaterThan(1);
		expect(unread?.seconds).toBeLessThan(15);
	});

	test("the age is that of the first unread message, and gaps of removed messages are ignored", async () => {
		await open(kind);
		const stop = await consume("logistics");
		await transport.publish(event(1, "aged"));
		await expect.poll(async () => (await effectsOf(db, "logistics"))["aged"], patient).toEqual([1]);
		await stop();
		await new Promise((resolve) => setTimeout(resolve, 2_000));
		await transport.publish(event(2, "aged"));
		await transport.publish(event(3, "aged"));
		const { nc, jsm } = await manager();
		await jsm.streams.deleteMessage("TRIAL", 2);
		await nc.close();
		await consume("logistics", closed());
		await new Promise((resolve) => setTimeout(resolve, 300));
		const [unread] = await transport.unread("logistics");
		expect(unread?.messages).toBe(1);
		expect(unread?.seconds).toBeLessThan(1.9);
	});

	test("messages that were removed before they were read are reported as lost", async () => {
		await open(kind);
		const stop = await consume("projects");
		await transport.publish(event(1, "lost"));
		await expect.poll(async () => (await effectsOf(db, "projects"))["lost"], patient).toEqual([1]);
		await stop();
		for (let n = 2; n <= 6; n += 1) await transport.publish(event(n, "lost"));
		const { nc, jsm } = await manager();
		await jsm.streams.purge("TRIAL", { seq: 5 });
		await nc.close();
		await consume("projects");
		await expect.poll(async () => (await effectsOf(db, "projects"))["lost"], patient).toEqual([1, 5, 6]);
		expect(lost).toEqual([["TRIAL", 3]]);
	});
});
