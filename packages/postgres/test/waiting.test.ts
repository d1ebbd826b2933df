import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { createTestDatabase, findFreePort } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import pg from "pg";
import { expect, test, vi } from "vitest";
import { openPool, waitForDatabase } from "../src/index.ts";
import { notes } from "./notes.ts";

const database = setUp(
	() => createTestDatabase({ name: "postgres", sets: [notes] }),
	({ drop }) => drop(),
);

/**
 * A server that accepts connections at once and forwards nothing until it is opened, like a busy machine.
 */
async function lateServer() {
	const to = new URL(database.url);
	const port = await findFreePort();
	const sockets = new Set<Socket>();
	let isOpen = false;
	const server = createServer((from) => {
		sockets.add(from.on("error", () => from.destroy()));
		if (!isOpen) return;
		const onwards = connect(Number(to.port), to.hostname);
		sockets.add(onwards.on("error", () => onwards.destroy()));
		from.pipe(onwards).pipe(from);
	}).listen(port, "127.0.0.1");
	await once(server, "listening");
	return {
		url: String(Object.assign(new URL(to), { hostname: "127.0.0.1", port: String(port) })),
		open: () => {
			isOpen = true;
		},
		close: async () => {
			for (const socket of sockets) socket.destroy();
			await new Promise((done) => server.close(done));
		},
	};
}

const asks: Array<[string, (url: string) => Promise<unknown>]> = [
	[
		"a pool",
		async (url) => {
			const db = openPool({ url, name: "late", sizeMax: 1, connectTimeoutMs: 500 });
			return db.query("select 1 as one").finally(() => db.close());
		},
	],
	[
		"a client",
		async (url) => {
			const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 500 });
			client.on("error", () => undefined);
			await client.connect();
			const { rows } = await client.query("select 1 as one");
			await client.end();
			return rows;
		},
	],
];

test.each(asks)(
	"work by %s on a database that accepts connections and responds late completes",
	async (_what, ask) => {
		const server = await lateServer();
		const onRetry = vi.fn(() => server.open());
		const waiting = { patienceMs: 10_000, signal: undefined, onRetry };
		expect(await waitForDatabase(() => ask(server.url), waiting)).toEqual([{ one: 1 }]);
		expect(onRetry).toHaveBeenCalled();
		await server.close();
	},
);

test("at the time limit the last error is thrown; a refusal is thrown immediately", async () => {
	const nowhere = `postgres://unknown@127.0.0.1:${await findFreePort()}/x`;
	const db = openPool({ url: nowhere, name: "late", sizeMax: 1 });
	const waiting = { patienceMs: 400, signal: undefined, onRetry: vi.fn() };
	await expect(waitForDatabase(() => db.query("select 1"), waiting)).rejects.toThrow(/ECONNREFUSED/);
	expect(waiting.onRetry).toHaveBeenCalledTimes(1);
	await db.close();
	await expect(waitForDatabase(() => database.db.query("selekt"), waiting)).rejects.toThrow(/syntax error/);
	expect(waiting.onRetry).toHaveBeenCalledTimes(1);
});
