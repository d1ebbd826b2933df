import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { findFreePort } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { buildService } from "../src/index.ts";
import { defineShop, environmentOf, openShop } from "./shop.ts";

const shop = setUp(openShop);

/** The database at an address of its own, which is there only while this runs. */
async function forward(port: number, to: URL): Promise<() => Promise<void>> {
	const sockets = new Set<Socket>();
	const server: Server = createServer((from) => {
		const onwards = connect(Number(to.port), to.hostname);
		for (const socket of [from, onwards]) {
			sockets.add(socket);
			socket.on("error", () => socket.destroy());
		}
		from.pipe(onwards).pipe(from);
	}).listen(port, "127.0.0.1");
	await once(server, "listening");
	return async () => {
		for (const socket of sockets) socket.destroy();
		await new Promise((done) => server.close(done));
	};
}

function at(port: number): string {
	const url = new URL(shop.database.url);
	url.hostname = "127.0.0.1";
	url.port = String(port);
	return url.toString();
}

test("a service waits for an unavailable database and then starts", async () => {
	const port = await findFreePort();
	const logged: string[] = [];
	const building = buildService(defineShop(), {
		environment: environmentOf(at(port)),
		logTo: { write: (line) => void logged.push(line) },
	});
	await expect.poll(() => logged.filter((line) => line.includes("will retry")).length).toBeGreaterThan(1);
	const stop = await forward(port, new URL(shop.database.url));
	try {
		const built = await building;
		expect((await built.app.inject("/readyz")).statusCode).toBe(200);
		await built.close();
	} finally {
		await stop();
	}
});

test("a service does not wait for a database that refuses it", async () => {
	const url = new URL(shop.database.url);
	url.pathname = "/nowhere";
	const environment = environmentOf(url.toString());
	await expect(buildService(defineShop(), { environment })).rejects.toThrow(/"nowhere" does not exist/);
});

test.each(["SIGTERM", "SIGINT"] as const)(
	"a program that gets %s while it waits for its database ends at once",
	async (signal) => {
		const program: ChildProcess = spawn(
			process.execPath,
			[new URL("./shop-program.ts", import.meta.url).pathname],
			{
				env: {
					PATH: process.env.PATH,
					NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
					...environmentOf(at(await findFreePort())),
				},
				stdio: ["ignore", "pipe", "inherit"],
			},
		);
		const exited = once(program, "exit");
		let said = "";
		program.stdout?.on("data", (chunk) => {
			said += chunk;
		});
		await expect.poll(() => said).toContain("will retry");
		program.kill(signal);
		expect(await exited).toEqual([0, null]);
	},
);

test("a program that waits after SIGTERM ends at once on SIGINT", async () => {
	const port = await findFreePort();
	const program = spawn(process.execPath, [new URL("./shop-program.ts", import.meta.url).pathname], {
		env: {
			PATH: process.env.PATH,
			NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
			...environmentOf(shop.database.url),
			SHOP_PORT: String(port),
			LANGO_STOP_NOTICE_MS: "60000",
		},
		stdio: "inherit",
	});
	const exited = once(program, "exit");
	const ask = (path: string) =>
		fetch(`http://localhost:${port}${path}`).then(
			({ status }) => status,
			() => "refused",
		);
	await expect.poll(() => ask("/readyz")).toBe(200);
	program.kill("SIGTERM");
	await expect.poll(() => ask("/readyz")).toBe(503);
	expect(program.exitCode).toBe(null);
	program.kill("SIGINT");
	const late = sleep(10_000, "still running", { ref: false });
	expect(await Promise.race([exited, late])).toEqual([0, null]);
});
