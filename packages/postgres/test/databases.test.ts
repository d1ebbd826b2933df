import { createServer, connect as dial, type Socket } from "node:net";
import { type Database, isUnavailable, openPool, type Pool, violatedConstraint } from "@lango/postgres";
import { createTestDatabase } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { afterEach, beforeEach, expect, test } from "vitest";
import { notes } from "./notes.ts";

/** Generous, because the machine may be busy. */
const patient = { timeout: 20_000 };

const database = setUp(
	() => createTestDatabase({ name: "postgres", sets: [notes] }),
	({ drop }) => drop(),
);
let db: Pool;

beforeEach(() => {
	db = openPool({ url: database.url, name: "one", sizeMax: 1 });
});
afterEach(() => db.close());

const caught = (work: Promise<unknown>): Promise<unknown> =>
	work.then(
		() => expect.fail("it was not refused"),
		(error) => error,
	);
const backend = async (on: Database): Promise<number> => {
	const [row] = await on.query<{ pid: number }>("select pg_backend_pid() as pid");
	if (row === undefined) throw new Error("no row");
	return row.pid;
};
const count = async (name: string): Promise<number | undefined> => {
	const [row] = await database.db.query<{ value: number }>("select value from counters where name = $1", [
		name,
	]);
	return row?.value;
};
const insert = (on: Database, name: string) => on.query("insert into counters (name) values ($1)", [name]);

/** Terminates a connection from outside, as a restart of the server would. */
async function cut(pid: number): Promise<void> {
	const owner = openPool({ url: process.env.TEST_DATABASE_URL ?? "", name: "cutter", sizeMax: 1 });
	try {
		await owner.query("select pg_terminate_backend($1, 5000)", [pid]);
	} finally {
		await owner.close();
	}
}

test("int8 is an exact BigInt, a date keeps no time, a timestamp is a Date", async () => {
	const [row] = await db.query(
		"select 9007199254740993::int8 as big, $1::int8 as given, date '2026-03-01' as day, timestamptz '2026-03-01T00:00:00Z' as moment, 7 as small",
		[9007199254740993n],
	);
	expect(row).toEqual({
		big: 9007199254740993n,
		given: 9007199254740993n,
		day: "2026-03-01",
		moment: new Date("2026-03-01T00:00:00Z"),
		small: 7,
	});
});

test("a transaction commits all of its statements or none", async () => {
	await db.transaction(async (tx) => {
		await insert(tx, "first");
		await insert(tx, "second");
	});
	expect([await count("first"), await count("second")]).toEqual([0, 0]);

	const refused = await caught(
		db.transaction(async (tx) => {
			await insert(tx, "third");
			await insert(tx, "first");
		}),
	);
	expect(violatedConstraint(refused)).toBe("counters__pkey");
	expect(await count("third")).toBeUndefined();
});

const insertLater = (on: Database, name: string) =>
	on.queryBeforeCommit("insert into counters (name) values ($1)", [name]);

test("statements queued before the commit are committed in their order", async () => {
	await db.transaction(async (tx) => {
		await insertLater(tx, "later");
		await insertLater(tx, "still later");
		await tx.query("update counters set value = 7 where name in ('later', 'still later')");
		await tx.queryBeforeCommit("update counters set value = value + 1 where name = 'later'");
	});
	expect([await count("later"), await count("still later")]).toEqual([8, 7]);
	await insertLater(db, "outside");
	expect(await count("outside")).toBe(0);
	expect(violatedConstraint(await caught(insertLater(db, "outside")))).toBe("counters__pkey");
});

test("a failed statement before the commit prevents the commit, and its error is thrown", async () => {
	await insert(db, "twice");
	const atTheEnd = db.transaction(async (tx) => {
		await insert(tx, "beside");
		await insertLater(tx, "twice");
	});
	expect(violatedConstraint(await caught(atTheEnd))).toBe("counters__pkey");
	const before = db.transaction(async (tx) => {
		await insertLater(tx, "twice");
		await insert(tx, "beside");
	});
	expect(violatedConstraint(await caught(before))).toBe("counters__pkey");
	const ofTwo = db.transaction(async (tx) => {
		await insertLater(tx, "twice");
		await insertLater(tx, "beside");
	});
	expect(violatedConstraint(await caught(ofTwo))).toBe("counters__pkey");
	expect(await count("beside")).toBeUndefined();
	await insert(db, "continues");
});

test("a connection whose first commit was refused commits the next transaction", async () => {
	const owner = openPool({ url: database.ownerUrl, name: "owner", sizeMax: 1 });
	await owner.query(
		"create table pairs (a text constraint pairs__a_key unique deferrable initially deferred)",
	);
	await owner.query("grant select, insert on pairs to lango_app");
	await owner.close();
	const pair = (a: string) =>
		db.transaction((tx) => tx.queryBeforeCommit("insert into pairs values ($1), ($2)", [a, "second"]));
	const pid = await backend(db);
	expect(violatedConstraint(await caught(pair("second")))).toBe("pairs__a_key");
	await pair("first");
	expect(violatedConstraint(await caught(pair("third")))).toBe("pairs__a_key");
	await db.transaction((tx) => tx.queryBeforeCommit("insert into pairs values ('last')"));
	expect(await db.query("select a from pairs order by a")).toEqual([
		{ a: "first" },
		{ a: "last" },
		{ a: "second" },
	]);
	expect(await backend(db)).toBe(pid);
	expect(
		await db.query("select count(*)::int as n from pg_prepared_statements where statement = 'commit'"),
	).toEqual([{ n: 1 }]);
});

test("a statement that cannot be sent with the commit prevents it", async () => {
	const circle: Record<string, unknown> = {};
	circle["circle"] = circle;
	const unsendable = db.transaction(async (tx) => {
		await insert(tx, "left alone");
		await tx.queryBeforeCommit("insert into counters (name) values ($1)", [circle]);
	});
	await expect(unsendable).rejects.toThrow(/circular/);
	expect(await count("left alone")).toBeUndefined();
});

test("concurrent statements of a transaction run in sequence", async () => {
	await db.transaction(async (tx) => {
		await Promise.all(Array.from({ length: 20 }, (_, n) => insert(tx, `at once ${n}`)));
	});
	expect(await count("at once 19")).toBe(0);
});

test("a transaction inside a transaction joins it", async () => {
	const failed = db.transaction(async (outer) => {
		await outer.transaction((inner) => insert(inner, "inner"));
		throw new Error("undo");
	});
	await expect(failed).rejects.toThrow("undo");
	expect(await count("inner")).toBeUndefined();
});

test("a transaction with an ignored failure is not reported as committed", async () => {
	const passedOver = db.transaction(async (tx) => {
		await insert(tx, "lost");
		await tx.query("select 1 / 0").catch(() => []);
		return "done";
	});
	await expect(passedOver).rejects.toThrow(/the transaction was rolled back/);
	expect(await count("lost")).toBeUndefined();
});

test("a statement after the end of its transaction is refused", async () => {
	let late: Database | undefined;
	await db.transaction(async (tx) => {
		late = tx;
	});
	await expect(insert(late as unknown as Database, "late")).rejects.toThrow(/transaction is over/);

	let release = (): void => undefined;
	const waiting = new Promise<void>((resolve) => {
		release = resolve;
	});
	let straggler: Promise<unknown> | undefined;
	const failed = db.transaction((tx) => {
		straggler = caught(waiting.then(() => insert(tx, "late")));
		return Promise.all([straggler, Promise.reject(new Error("undo"))]);
	});
	await expect(failed).rejects.toThrow("undo");
	release();
	expect(String(await straggler)).toMatch(/transaction is over/);
	expect(await count("late")).toBeUndefined();
});

test("a refused statement does not close its connection", async () => {
	const before = await backend(db);
	await caught(db.query("select 1 / 0"));
	await caught(db.transaction((tx) => tx.query("select 1 / 0")));
	expect(await backend(db)).toBe(before);
});

test("a connection on which a statement was not supported is closed", async () => {
	const single = openPool({ url: database.url, name: "single", sizeMax: 1 });
	const before = await backend(single);
	expect(await caught(single.query("select count(*) from counters for update"))).toMatchObject({
		code: "0A000",
	});
	expect(await backend(single)).not.toBe(before);
	await single.close();
});

test("only a constraint violation has a constraint name", async () => {
	await insert(db, "unique");
	expect(violatedConstraint(await caught(insert(db, "unique")))).toBe("counters__pkey");
	expect(violatedConstraint(await caught(db.query("select 1 / 0")))).toBeUndefined();
	expect(violatedConstraint("23505")).toBeUndefined();
});

test("a connection lost in a transaction is reported as unavailable, and the pool recovers", async () => {
	const lost = await caught(
		db.transaction(async (tx) => {
			await insert(tx, "cut off");
			await cut(await backend(tx));
			await tx.query("select 1");
		}),
	);
	expect(isUnavailable(lost)).toBe(true);
	expect(await count("cut off")).toBeUndefined();
	expect(await db.query("select 1 as one")).toEqual([{ one: 1 }]);
});

test("a connection lost before the commit is reported as unavailable, not as committed", async () => {
	const lost = await caught(
		db.transaction(async (tx) => {
			await insert(tx, "uncommitted");
			await cut(await backend(tx));
		}),
	);
	expect(isUnavailable(lost)).toBe(true);
	expect(await count("uncommitted")).toBeUndefined();
});

test("a connection lost while idle is reported and replaced", async () => {
	const reported: Error[] = [];
	const watched = openPool({
		url: database.url,
		name: "watched",
		sizeMax: 1,
		onIdleError: (error) => reported.push(error),
	});
	try {
		const before = await backend(watched);
		await cut(before);
		await expect.poll(() => reported.length, patient).toBe(1);
		expect(await backend(watched)).not.toBe(before);
	} finally {
		await watched.close();
	}
});

test("an unreachable server and an unknown host are reported as unavailable", async () => {
	for (const host of ["127.0.0.1:1", "nowhere.invalid:5432"]) {
		const away = openPool({ url: `postgres://unknown:x@${host}/none`, name: "away", sizeMax: 1 });
		expect(isUnavailable(await caught(away.query("select 1")))).toBe(true);
		expect(isUnavailable(await caught(away.transaction((tx) => tx.query("select 1"))))).toBe(true);
		await away.close();
	}
});

test("a statement timeout is reported as unavailable, and the connection stays usable", async () => {
	const hasty = openPool({ url: database.url, name: "hasty", sizeMax: 1, statementTimeoutMs: 50 });
	const pidOf = async () => (await hasty.query("select pg_backend_pid() as pid"))[0]?.["pid"];
	const before = await pidOf();
	expect(isUnavailable(await caught(hasty.query("select pg_sleep(5)")))).toBe(true);
	expect(await pidOf()).toBe(before);
	await hasty.close();
});

test("a refused statement or password is not reported as unavailable", async () => {
	expect(isUnavailable(await caught(db.query("select 1 / 0")))).toBe(false);
	const url = new URL(database.url);
	url.password = "wrong";
	const stranger = openPool({ url: url.toString(), name: "stranger", sizeMax: 1 });
	expect(isUnavailable(await caught(stranger.query("select 1")))).toBe(false);
	await stranger.close();
});

test("a statement that takes too long is cancelled by the server, and its connection is kept", async () => {
	const hasty = openPool({ url: database.url, name: "hasty", sizeMax: 1, statementTimeoutMs: 100 });
	try {
		const before = await backend(hasty);
		await expect(hasty.query("select pg_sleep(30)")).rejects.toThrow(/statement timeout/);
		expect(await backend(hasty)).toBe(before);
	} finally {
		await hasty.close();
	}
});

test("a connection to an unresponsive server is closed, and the pool recovers when the server responds again", async () => {
	const upstream = new URL(database.url);
	let isSilent = false;
	const sockets = new Set<Socket>();
	const proxy = createServer((client) => {
		const server = dial(Number(upstream.port), upstream.hostname);
		for (const [from, to] of [
			[client, server],
			[server, client],
		] as const) {
			sockets.add(from);
			from.on("data", (bytes) => void (isSilent || to.write(bytes)));
			from.on("error", () => undefined);
			from.on("close", () => to.destroy());
		}
	});
	await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
	const url = new URL(database.url);
	url.port = String((proxy.address() as { port: number }).port);
	const through = openPool({ url: url.toString(), name: "through", sizeMax: 1, statementTimeoutMs: 100 });
	try {
		await through.query("select 1");
		isSilent = true;
		expect(isUnavailable(await caught(through.query("select 1")))).toBe(true);
		isSilent = false;
		expect(await through.query("select 1 as one")).toEqual([{ one: 1 }]);
	} finally {
		await through.close();
		for (const socket of sockets) socket.destroy();
		proxy.close();
	}
});

test("close can be called several times", async () => {
	const twice = openPool({ url: database.url, name: "twice", sizeMax: 1 });
	await twice.query("select 1");
	await Promise.all([twice.close(), twice.close()]);
	await twice.close();
});
