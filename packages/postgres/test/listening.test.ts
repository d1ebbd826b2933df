import { setTimeout as sleep } from "node:timers/promises";
import { createTestDatabase, type TestDatabase } from "@lango/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Listening, listen } from "../src/index.ts";

let database: TestDatabase;
const heard: string[] = [];
let listening: Listening;
beforeAll(async () => {
	database = await createTestDatabase({ name: "listening", sets: [] });
	await new Promise<void>((resolve) => {
		listening = listen({
			url: database.url,
			name: "test",
			channel: "changed",
			onMessage: (payload) => heard.push(payload),
			onReady: () => {
				heard.push("(ready)");
				resolve();
			},
			onLost: () => heard.push("(lost)"),
		});
	});
});
afterAll(async () => {
	await listening.stop();
	await database.drop();
});

async function until(done: () => boolean): Promise<void> {
	for (let turn = 0; turn < 200 && !done(); turn += 1) await sleep(25);
	expect(heard).toSatisfy(done);
}

test("what is told in a transaction is heard once it is committed, and not when it is rolled back", async () => {
	await database.db.transaction((tx) => tx.query("select pg_notify('changed', 'one')"));
	const failed = database.db.transaction(async (tx) => {
		await tx.query("select pg_notify('changed', 'never')");
		throw new Error("no");
	});
	await expect(failed).rejects.toThrow("no");
	await database.db.query("select pg_notify('changed', 'two')");
	await until(() => heard.includes("two"));
	expect(heard).toEqual(["(ready)", "one", "two"]);
});

test("a lost connection is told, made anew, and heard on again", async () => {
	await database.db.query(
		"select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'lango-test-listen' and datname = current_database()",
	);
	await until(() => heard.filter((one) => one === "(ready)").length === 2);
	await database.db.query("select pg_notify('changed', 'three')");
	await until(() => heard.includes("three"));
	expect(heard).toEqual(["(ready)", "one", "two", "(lost)", "(ready)", "three"]);
});

test("a channel with no plain name is refused", () => {
	const options = {
		url: database.url,
		name: "test",
		onMessage: () => {},
		onReady: () => {},
		onLost: () => {},
	};
	expect(() => listen({ ...options, channel: 'x"; drop' })).toThrow(/channel/);
});

test("a connection that cannot be made is told of once, with its reason", async () => {
	const url = new URL(database.url);
	url.pathname = "/nowhere";
	const losses: unknown[] = [];
	const deaf = listen({
		url: url.href,
		name: "deaf",
		channel: "changed",
		onMessage: () => {},
		onReady: () => {},
		onLost: (error) => losses.push(error),
	});
	await sleep(1_000);
	await deaf.stop();
	expect(losses).toEqual([expect.objectContaining({ message: expect.stringContaining("nowhere") })]);
});
