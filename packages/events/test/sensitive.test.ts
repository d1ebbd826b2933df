import { randomBytes } from "node:crypto";
import {
	type Consumer,
	defineConsumer,
	discardDeadLetter,
	inProcessTransport,
	listDeadLetters,
	recordEvent,
	redriveDeadLetter,
	startConsumers,
	startRelay,
	type Transport,
} from "@lango/events";
import { openPool, type Pool } from "@lango/postgres";
import type { TestDatabase } from "@lango/testkit";
import type { KeyEncryptionKeys } from "@lango/tokens";
import Type from "typebox";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { toBytes } from "../src/envelope.ts";
import { openMessage, sealEvent } from "../src/sensitive.ts";
import { createTrialDatabase, emptyAll, event, manualClock } from "./trial.ts";

const secret = "hush-4f1c";
const keys: KeyEncryptionKeys = [{ id: "one", key: randomBytes(32) }];
const shared = {
	type: "trial.account.shared",
	source: "/trial",
	subject: "account",
	because: "an account has credentials",
	data: Type.Object({ username: Type.String(), password: Type.String() }),
	sensitive: ["password"],
};

let database: TestDatabase;
let owner: Pool;
let transport: Transport;
let clock = manualClock();
let stops: Array<() => Promise<void>> = [];
let errors: string[] = [];
/** What the effect received; it fails while `isBroken`. */
let received: unknown[] = [];
let isBroken = false;

beforeAll(async () => {
	database = await createTrialDatabase();
	owner = openPool({ url: database.ownerUrl, name: "owner", sizeMax: 1 });
});
beforeEach(async () => {
	await emptyAll(owner);
	[transport, clock, stops, errors, received, isBroken] = [
		inProcessTransport(),
		manualClock(),
		[],
		[],
		[],
		false,
	];
});
afterEach(async () => {
	for (const stop of stops.toReversed()) await stop();
	await transport.close();
});
afterAll(async () => {
	await owner.close();
	await database.drop();
});

const onError = (error: unknown, about: string) => void errors.push(`${about}: ${(error as Error).message}`);
const using: Consumer = defineConsumer(shared, async (_, { data }) => {
	if (isBroken) throw new Error("the account service is away");
	received.push(data);
});
const options = () => ({ db: database.db, transport, onError, now: clock.now });

async function consume(
	consumers: readonly Consumer[] = [using],
	withKeys: KeyEncryptionKeys | undefined = keys,
) {
	const more = { service: "pos", consumers, keys: withKeys, intervalMs: 20 };
	const { stop } = await startConsumers({ ...options(), ...more });
	stops.push(stop);
}

const account = (data: unknown = { username: "asha", password: secret }) =>
	event(0, "a", { type: shared.type, data });
const dead = async () => (await listDeadLetters(database.db, { service: "pos" })).items;

/** Waits until the event is a dead letter. */
const failToTheEnd = () =>
	expect
		.poll(async () => {
			clock.advance(15 * 60_000);
			return (await dead()).length;
		})
		.toBe(1);

/** All rows of the database as text; bytes as UTF-8. */
async function dumpDatabase(): Promise<string> {
	const tables = await owner.query<{ name: string }>(
		`select table_name as name from information_schema.tables
		  where table_schema = 'public' and table_type = 'BASE TABLE'`,
	);
	const texts: string[] = [];
	for (const { name } of tables)
		for (const row of await owner.query<Record<string, unknown>>(`select * from ${name}`))
			for (const value of Object.values(row))
				texts.push(
					Buffer.isBuffer(value)
						? value.toString("utf8")
						: JSON.stringify(value, (_, one) => (typeof one === "bigint" ? String(one) : one)),
				);
	return texts.join("\n");
}

test("a sensitive member is in no table, listing or report while its event waits, and the effect gets it after a redrive", async () => {
	isBroken = true;
	await consume();
	await transport.publish(account());
	await failToTheEnd();
	const [letter] = await dead();
	expect(JSON.parse(letter?.body ?? "")).toMatchObject({
		subject: "a",
		data: { username: "asha", password: "" },
	});
	const dump = await dumpDatabase();
	expect(dump).toContain("asha");
	expect(`${dump} ${errors.join()} ${letter?.body}`).not.toContain(secret);
	isBroken = false;
	await redriveDeadLetter(database.db, { service: "pos", id: letter?.id ?? "", now: clock.now() });
	await expect.poll(() => received).toEqual([{ username: "asha", password: secret }]);
	expect(await dead()).toEqual([]);
});

test("an event that does not match its contract has its sensitive members encrypted at any depth", async () => {
	await consume();
	await transport.publish(
		account({ username: 1, more: [{ password: secret }], password: { nested: secret } }),
	);
	await expect.poll(async () => (await dead()).length).toBe(1);
	const [letter] = await dead();
	expect(JSON.parse(letter?.body ?? "")).toMatchObject({
		data: { username: 1, more: [{ password: "" }], password: "" },
	});
	expect(`${await dumpDatabase()} ${letter?.reason} ${errors.join()}`).not.toContain(secret);
});

test("an unreadable or too deeply nested message of such a type is encrypted as a whole", async () => {
	await consume();
	const { id: _, ...withoutId } = account();
	await transport.publish(withoutId as never);
	const deep = JSON.parse(`${"[".repeat(40)}"${secret}"${"]".repeat(40)}`);
	await transport.publish(account({ username: "asha", password: "x", deep }));
	await expect.poll(async () => (await dead()).length).toBe(2);
	const letters = await dead();
	expect(letters.map(({ reason }) => reason)).toEqual([
		expect.stringContaining("does not fit its contract"),
		"the event is nested deeper than 32 levels",
	]);
	expect(`${await dumpDatabase()} ${JSON.stringify(letters)} ${errors.join()}`).not.toContain(secret);
	for (const { id } of letters)
		expect(await discardDeadLetter(database.db, { service: "pos", id, now: clock.now() })).toBe(true);
});

test("a sensitive member is encrypted in the outbox, published in clear, and replayed to a later subscriber", async () => {
	const data = { username: "asha", password: secret };
	await recordEvent(database.db, shared, { subject: "a", now: clock.now(), data, keys });
	expect(await dumpDatabase()).not.toContain(secret);
	const relay = startRelay({ ...options(), keys });
	stops.push(relay.stop);
	const published: unknown[] = [];
	const observed = {
		types: [shared.type],
		deliver: (one: { data: unknown }) => void published.push(one.data),
		onError,
	};
	await transport.observe(observed as never);
	await relay.flush();
	expect(await dumpDatabase()).not.toContain(secret);
	await consume();
	await expect.poll(() => received).toEqual([data]);
	expect(errors).toEqual([]);
});

test("an event without its key waits as a failure that names the key", async () => {
	await consume([using], [{ id: "old", key: randomBytes(32) }]);
	isBroken = true;
	await transport.publish(account());
	await expect.poll(() => errors.length).toBeGreaterThan(0);
	await stops.pop()?.();
	await transport.close();
	transport = inProcessTransport();
	isBroken = false;
	await consume();
	await failToTheEnd();
	expect(await dead()).toMatchObject([{ reason: 'the key-encryption key "old" is missing' }]);
	expect(received).toEqual([]);
});

test("types with sensitive members need keys to be consumed and recorded", async () => {
	await expect(consume([using], [])).rejects.toThrow(
		"pos consumes trial.account.shared: key-encryption keys are missing",
	);
	const data = { username: "asha", password: secret };
	await expect(recordEvent(database.db, shared, { subject: "a", now: clock.now(), data })).rejects.toThrow(
		"trial.account.shared has sensitive members: pass keys to record it",
	);
});

test("a publisher cannot forge the encrypted part", () => {
	const sent = account();
	const stored = toBytes(sealEvent({ ...sent, ...{ sealed: "one:forged" } }, { names: ["password"], keys }));
	expect(JSON.parse(Buffer.from(openMessage(stored, keys)).toString())).toEqual(sent);
});
