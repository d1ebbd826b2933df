import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { setUp } from "@lango/testkit/set-up";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { RunningService } from "../src/index.ts";
import { openShop } from "./shop.ts";

const shop = setUp(() => openShop({}, limits));
let running: RunningService;
const sockets: Socket[] = [];
const limits = {
	LANGO_CONNECTIONS_MAX: "12",
	LANGO_CONNECTIONS_PER_ADDRESS_MAX: "4",
	LANGO_HEADERS_TIMEOUT_MS: "300",
	LANGO_REQUEST_TIMEOUT_MS: "600",
	LANGO_KEEP_ALIVE_TIMEOUT_MS: "200",
	SHOP_HOST: "0.0.0.0",
};
beforeAll(async () => {
	running = await shop.start();
});
afterEach(async () => {
	await Promise.all(sockets.splice(0).map(closed));
});
afterAll(() => running.close());

async function closed(socket: Socket): Promise<void> {
	if (socket.closed) return;
	socket.destroy();
	await once(socket, "close");
	await sleep(20); // The server learns of it a moment later.
}

/** A connection from one of the addresses of this machine; `answer` is all that comes until it is closed. */
function open(from = "127.0.0.1") {
	const socket = connect({ port: Number(new URL(running.url).port), host: "127.0.0.1", localAddress: from });
	sockets.push(socket);
	let text = "";
	socket.setEncoding("utf8").on("error", () => {});
	socket.on("data", (chunk) => {
		text += chunk;
	});
	return { socket, answer: once(socket, "close").then(() => text) };
}

/** Sends what a client that means to occupy the connection would: a little, and no end. */
async function trickle(socket: Socket, texts: readonly string[]): Promise<void> {
	for (const text of texts) {
		if (socket.closed) return;
		socket.write(text);
		await sleep(50);
	}
}

test.each([
	["headers", "GET /healthz HTTP/1.1\r\nhost: x\r\n", "x-a: 1\r\n"],
	[
		"a body",
		"POST /orders HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9000\r\n\r\n",
		" ",
	],
])("%s that arrive too slowly are answered 408, and the connection is closed", async (_what, begin, more) => {
	const { socket, answer } = open();
	await trickle(socket, [begin, ...Array<string>(60).fill(more)]);
	const [head = "", body = ""] = (await answer).split("\r\n\r\n");
	expect(head).toMatch(/^HTTP\/1\.1 408 /);
	expect(JSON.parse(body)).toEqual({
		error: expect.any(String),
		code: "request_timeout",
		request_id: expect.any(String),
	});
	expect(shop.logged.filter((line) => line.includes('"unexpected"'))).toEqual([]);
});

test("a connection without traffic is closed", async () => {
	const { answer } = open();
	expect(await answer).toMatch(/^(HTTP\/1\.1 408 |$)/);
});

test("a keep-alive connection is closed after its timeout", async () => {
	const { socket, answer } = open();
	socket.write("GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n");
	expect(await answer).toMatch(/^HTTP\/1\.1 200 /);
});

test("the connections of one address are limited, and other addresses are served", async () => {
	const held = Array.from({ length: 4 }, () => open());
	await Promise.all(held.map(({ socket }) => once(socket, "connect")));
	expect(await open().answer).toBe("");
	const other = open("127.0.0.2");
	other.socket.write("GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
	expect(await other.answer).toMatch(/^HTTP\/1\.1 200 /);
	await closed(held[0]?.socket ?? other.socket);
	const again = open();
	again.socket.write("GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
	expect(await again.answer).toMatch(/^HTTP\/1\.1 200 /);
});

test("the connections of all addresses are limited, which is logged once", async () => {
	const held = Array.from({ length: 12 }, (_, index) => open(`127.0.0.${10 + Math.floor(index / 4)}`));
	await Promise.all(held.map(({ socket }) => once(socket, "connect")));
	for (let one = 0; one < 3; one += 1) expect(await open("127.0.0.20").answer).toBe("");
	const lines = shop.logged
		.filter((line) => line.includes("too many are open"))
		.map((line) => JSON.parse(line));
	expect(lines.filter(({ reason }) => reason === "total")).toHaveLength(1);
});

test("proxies that are trusted have no limit of their own", async () => {
	const trusted = await openShop({}, { ...limits, LANGO_TRUSTED_PROXIES: "127.0.0.0/8" });
	const own = await trusted.start();
	const port = Number(new URL(own.url).port);
	try {
		const many = Array.from({ length: 8 }, () => connect({ port, host: "127.0.0.1" }));
		sockets.push(...many);
		await Promise.all(many.map((socket) => once(socket, "connect")));
		await sleep(50);
		expect(many.filter((socket) => socket.closed)).toEqual([]);
	} finally {
		await own.close();
		await trusted.close();
	}
});

test("a proxy that is not an address is refused at the start, by its setting", async () => {
	await expect(openShop({}, { LANGO_TRUSTED_PROXIES: "10.0.0.0/99" })).rejects.toThrow(
		'LANGO_TRUSTED_PROXIES: "10.0.0.0/99" is not an address or a range of addresses',
	);
});
