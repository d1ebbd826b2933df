import { setTimeout as sleep } from "node:timers/promises";
import { createTestDatabase } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Listening, listen } from "../src/index.ts";

const database = setUp(
	() => createTestDatabase({ name: "listening", sets: [] }),
	({ drop }) => drop(),
);
const received: string[] = [];
let listening: Listening;
beforeAll(async () => {
	await new Promise<void>((resolve) => {
		listening = listen({
			url: database.url,
			name: "test",
			channel: "changed",
			onMessage: (payload) => received.push(payload),
			onReady: () => {
				received.push("(ready)");
				resolve();
			},
			onLost: () => received.push("(lost)"),
		});
	});
});
afterAll(() => listening.stop());

async function until(done: () => boolean): Promise<void> {
	for (let turn = 0; turn < 200 && !done(); turn += 1) await sleep(25);
	expect(received).toSatisfy(done);
}

test("a notification is received after its transaction commits, and not after a rollback", async () => {
	await database.db.transaction((tx) => tx.query("select pg_notify('changed', 'one')"));
	const failed = database.db.transaction(async (tx) => {
		await tx.query("select pg_notify('changed', 'never')");
		throw new Error("no");
	});
	await expect(failed).rejects.toThrow("no");
	await database.db.query("select pg_notify('changed', 'two')");
	await until(() => received.includes("two"));
	expect(received).toEqual(["(ready)", "one", "two"]);
});

test("a lost connection is reported and reopened, and notifications are received again", async () => {
	await database.db.query(
		"select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'lango-test-listen' and datname = current_database()",
	);
	await until(() => received.filter((one) => one === "(ready)").length === 2);
	await database.db.query("select pg_notify('changed', 'three')");
	await until(() => received.includes("three"));
	expect(received).toEqual(["(ready)", "one", "two", "(lost)", "(ready)", "three"]);
});

test("an invalid channel name is refused", () => {
	const options = {
		url: database.url,
		name: "test",
		onMessage: () => {},
		onReady: () => {},
		onLost: () => {},
	};
	expect(() => listen({ ...options, channel: 'x"; drop' })).toThrow(/channel/);
});

test("a connection that cannot be opened is reported once, with its reason", async () => {
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
