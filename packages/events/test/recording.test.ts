import { authUserLogin } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import { type Database, listUnguardedTables, openPool, type Pool } from "@lango/postgres";
import { besideOthers } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { count, counted, createTrialDatabase, emptyAll } from "./trial.ts";

/** Generous, because the machine may be busy. */
const patient = { timeout: 20_000 };

const database = setUp(createTrialDatabase, ({ drop }) => drop());
let db: Database;
let owner: Pool;

beforeAll(async () => {
	db = database.db;
	owner = openPool({ url: database.ownerUrl, name: "owner", sizeMax: 1 });
});
beforeEach(() => emptyAll(owner));
afterAll(() => owner.close());

const now = new Date("2026-03-01T12:00:00.123Z");
const tenantId = "0197a000-0000-7000-8000-00000000000a";
const outbox = () =>
	db.query("select type, subject, envelope, published_at, attempts from outbox order by position");

test("no table with a tenant lacks its policy", async () => {
	expect(await listUnguardedTables(owner)).toEqual([]);
});

test("an event is written as a CloudEvents envelope whose id carries its time", async () => {
	const id = await recordEvent(db, counted, {
		subject: "a",
		tenantId,
		tenantSlug: "uhai",
		correlationId: "r-1",
		now,
		data: { n: 1 },
	});
	expect(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16)).toBe(now.getTime());
	expect(await outbox()).toEqual([
		{
			type: "trial.counter.counted",
			subject: "a",
			published_at: null,
			attempts: 0,
			envelope: {
				specversion: "1.0",
				id,
				source: "/trial",
				type: "trial.counter.counted",
				time: "2026-03-01T12:00:00.123Z",
				subject: "a",
				datacontenttype: "application/json",
				tenantid: tenantId,
				tenantslug: "uhai",
				correlationid: "r-1",
				data: { n: 1 },
			},
		},
	]);
});

test("an event without tenant and request has no such members", async () => {
	await recordEvent(db, counted, { subject: "a", tenantId: undefined, now, data: { n: 1 } });
	const [row] = await db.query<{ envelope: object }>("select envelope from outbox");
	expect(Object.keys(row?.envelope ?? {}).filter((name) => /tenant|correlation/.test(name))).toEqual([]);
});

test("state and event commit together", async () => {
	await count(db, "a");
	expect(await db.query("select value from counters")).toEqual([{ value: 1 }]);
	expect(await outbox()).toHaveLength(1);
});

test("state and event are rolled back together", async () => {
	const undone = db.transaction(async (tx) => {
		await count(tx, "a");
		throw new Error("undo");
	});
	await expect(undone).rejects.toThrow("undo");
	expect(await db.query("select value from counters")).toEqual([]);
	expect(await outbox()).toEqual([]);
});

test("an event that is refused rolls back the state it describes", async () => {
	const refused = db.transaction(async (tx) => {
		await tx.query("insert into counters (subject) values ('a')");
		await recordEvent(tx, counted, { subject: "a", now, data: { n: 1.5 } });
	});
	await expect(refused).rejects.toThrow(/does not fit/);
	expect(await db.query("select value from counters")).toEqual([]);
});

test.each([
	[
		"a wrong type",
		{ n: "secret" },
		"the data of trial.counter.counted does not fit its contract: /n must be integer",
	],
	[
		"a missing member",
		{},
		"the data of trial.counter.counted does not fit its contract: it must have required properties n",
	],
	["nothing", undefined, /does not fit its contract/],
])("data with %s is refused with the name of the member and without its value", async (_, data, message) => {
	const refused = recordEvent(db, counted, { subject: "a", now, data: data as { n: number } });
	await expect(refused).rejects.toThrow(message);
	await expect(refused).rejects.not.toThrow("secret");
	expect(await outbox()).toEqual([]);
});

test("formats are checked: an invalid UUID and an invalid time are refused", async () => {
	const data = {
		user_id: tenantId,
		email: "a@uhai.example",
		name: "A",
		roles: [],
		status: "active",
		client_id: "x",
		at: now.toISOString(),
	};
	await recordEvent(db, authUserLogin, { subject: tenantId, now, data });
	await expect(
		recordEvent(db, authUserLogin, { subject: "a", now, data: { ...data, user_id: "7" } }),
	).rejects.toThrow("/user_id must match");
	await expect(
		recordEvent(db, authUserLogin, { subject: "a", now, data: { ...data, at: "noon" } }),
	).rejects.toThrow("/at must match");
	await expect(
		recordEvent(db, counted, { subject: "a", tenantId: "uhai", now, data: { n: 1 } }),
	).rejects.toThrow("/tenantid must match");
});

test("an event that is larger than the maximum is refused", async () => {
	const data = { n: 1, more: "x".repeat(300_000) };
	await expect(recordEvent(db, counted, { subject: "a", now, data })).rejects.toThrow(
		/the maximum is 262144/,
	);
	expect(await outbox()).toEqual([]);
});

test("of two transactions with one subject the second waits, so that its position is higher; another subject does not wait", async () => {
	const order: string[] = [];
	let second: Promise<unknown> | undefined;
	await db.transaction(
		besideOthers(async (tx) => {
			await recordEvent(tx, counted, { subject: "a", now, data: { n: 1 } });
			await tx.query("select 'with this it goes out'");
			second = recordEvent(db, counted, { subject: "a", now, data: { n: 3 } }).then(() =>
				order.push("second"),
			);
			await recordEvent(db, counted, { subject: "b", now, data: { n: 1 } });
			order.push("other subject");
			await expect
				.poll(
					() =>
						db.query(
							"select from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())",
						),
					patient,
				)
				.toHaveLength(1);
			await recordEvent(tx, counted, { subject: "a", now, data: { n: 2 } });
			order.push("first");
		}),
	);
	await second;
	expect(order).toEqual(["other subject", "first", "second"]);
	expect(
		await db.query("select envelope->'data'->'n' as n from outbox where subject = 'a' order by position"),
	).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
});

test("a service cannot change a recorded event", async () => {
	await recordEvent(db, counted, { subject: "a", now, data: { n: 1 } });
	for (const change of ["envelope = '{}'", "subject = 'b'", "recorded_at = now()"]) {
		await expect(db.query(`update outbox set ${change}`)).rejects.toThrow(/permission denied/);
	}
	await expect(db.query("truncate outbox")).rejects.toThrow(/permission denied/);
});
