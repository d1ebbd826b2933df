import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { inTenant, openPool, type Pool } from "@lango/postgres";
import { createTestDatabase } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import {
	outsideTransactions,
	requireNoOpenTransaction,
	setTransactionGuard,
	TransactionOpen,
	tracedFetch,
} from "@lango/tracing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { notes } from "./notes.ts";

const database = setUp(
	() => createTestDatabase({ name: "postgres", sets: [notes] }),
	({ drop }) => drop(),
);
let db: Pool;
let other: Pool;
let violations: Error[];

beforeEach(() => {
	violations = [];
	const onViolation = (error: Error) => void violations.push(error);
	db = openPool({ url: database.url, name: "one", sizeMax: 2, onViolation });
	other = openPool({ url: database.url, name: "other", sizeMax: 2 });
});
afterEach(() => Promise.all([db.close(), other.close()]));

const tenant = "0197a000-0000-7000-8000-000000000001";
const ask = (on: Pick<Pool, "query">) => on.query("select 1 as one");
const readShared = async () => requireNoOpenTransaction("read through a shared cache");

describe("inside an open transaction", () => {
	test.each<[string, () => Promise<unknown>]>([
		["a statement on the pool", () => ask(db)],
		["a statement on the pool that is not awaited at once", () => db.queryBeforeCommit("select 1")],
		["a second transaction of the pool", () => db.transaction(async () => undefined)],
		["a tenant's transaction of the pool", () => inTenant(db, tenant, async () => undefined)],
		["an HTTP request", () => tracedFetch("http://127.0.0.1:9/")],
		["a load that other callers share", readShared],
	])("%s throws at any depth of the call chain and takes no connection", async (_what, work) => {
		const deep = async () => {
			await nextTurn();
			return work();
		};
		await expect(db.transaction(deep)).rejects.toThrow(TransactionOpen);
		await expect(inTenant(db, tenant, deep)).rejects.toThrow(/"one" is open in this call chain/);
		expect(db.connections()).toMatchObject({ used: 0, idle: 1 });
	});

	test("a statement on the pool throws also if another pool's transaction is open between the two", async () => {
		const nested = db.transaction(() => other.transaction(() => ask(db)));
		await expect(nested).rejects.toThrow(TransactionOpen);
	});

	test("a statement of the transaction, and one on another pool, are allowed", async () => {
		const both = db.transaction(async (tx) => [await ask(tx), await ask(other), await tx.transaction(ask)]);
		expect(await both).toHaveLength(3);
	});

	test("work of another call chain is allowed", async () => {
		const apart = await db.transaction(() => outsideTransactions(() => ask(db)));
		expect(apart).toEqual([{ one: 1 }]);
	});
});

describe("after a transaction", () => {
	test("after the transaction, also a failed one, the call chain can use the pool", async () => {
		await db.transaction(async () => undefined);
		await expect(db.transaction(() => Promise.reject(new Error("refused")))).rejects.toThrow("refused");
		expect(await ask(db)).toEqual([{ one: 1 }]);
	});

	test("work that outlives the transaction can use the pool", async () => {
		const { promise: gate, resolve: open } = Promise.withResolvers<void>();
		let behind: Promise<unknown> | undefined;
		await db.transaction(async () => {
			behind = gate.then(() => ask(db));
		});
		open();
		expect(await behind).toEqual([{ one: 1 }]);
	});
});

describe("where violations are reported", () => {
	beforeEach(() => setTransactionGuard("report"));
	afterEach(() => setTransactionGuard("throw"));

	test("violations are allowed, and reported to the pool once a minute", async () => {
		const server = createServer((_, answer) => answer.end("ok")).listen(0, "127.0.0.1");
		await new Promise((resolve) => server.once("listening", resolve));
		const { port } = server.address() as AddressInfo;
		const answer = await db.transaction(async () => {
			await ask(db);
			await readShared();
			return tracedFetch(`http://127.0.0.1:${port}/`);
		});
		expect(await answer.text()).toBe("ok");
		expect(violations.map(({ message }) => message)).toEqual([
			'a transaction of the pool "one" is open in this call chain: end it before you take a second connection of it',
		]);
		server.close();
	});
});
