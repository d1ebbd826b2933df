import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeEach, expect, test } from "vitest";
import { createClock, createDeliveries, type Planned } from "../src/index.ts";

let statuses: number[] = [];
let received: string[] = [];
const receiver = createServer(async (request, response) => {
	received.push(await text(request));
	response.writeHead(statuses.shift() ?? 200).end("seen");
}).listen(0, "127.0.0.1");
await once(receiver, "listening");
afterAll(() => receiver.close());
beforeEach(() => {
	statuses = [];
	received = [];
});

const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
const planned = (body: string, rest: Partial<Planned> = {}): Planned => ({
	...{ operation: "push", url, headers: { "content-type": "application/json" }, body },
	...rest,
});
const open = (pausesMs: number[], isTaken?: (status: number) => boolean) =>
	createDeliveries({ clock: createClock(), pausesMs, ...(isTaken && { isTaken }) });

test("a delivery is sent again after each pause until it is answered 2xx", async () => {
	statuses = [500, 302];
	const deliveries = open([1, 1, 1]);
	await deliveries.send(planned("a"));
	expect(received).toEqual(["a", "a", "a"]);
	expect(deliveries.list()).toMatchObject([
		{
			id: 1,
			operation: "push",
			url,
			body: "a",
			state: "delivered",
			answered: 200,
			answer: "seen",
			attempts: 3,
		},
	]);
});

test("a sender that counts 200 alone sends again after a 204", async () => {
	statuses = [204];
	const deliveries = open([1, 1], (status) => status === 200);
	expect(await deliveries.send(planned("a"))).toMatchObject({ answered: 200, attempts: 2, isTaken: true });
});

test("a delivery that is never answered 2xx has failed after the last pause", async () => {
	statuses = [500, 500];
	const deliveries = open([1]);
	await deliveries.send(planned("a"));
	await deliveries.send(planned("b", { url: "http://127.0.0.1:1/closed" }));
	expect(deliveries.list()).toMatchObject([
		{ state: "failed", answered: 500, attempts: 2 },
		{ state: "failed", answered: null, attempts: 2 },
	]);
});

test("a dropped delivery is listed and not sent, a reordered one is sent after the next", async () => {
	const deliveries = open([]);
	const reordered = deliveries.send(planned("reordered", { isReordered: true, afterMs: 60_000 }));
	await deliveries.send(planned("dropped", { isDropped: true }));
	await deliveries.send(planned("next"));
	await reordered;
	expect(received).toEqual(["next", "reordered"]);
	expect(deliveries.list().map(({ body, state }) => [body, state])).toEqual([
		["reordered", "delivered"],
		["dropped", "dropped"],
		["next", "delivered"],
	]);
});

test("clearing ends the deliveries that are planned", async () => {
	const deliveries = open([]);
	const planned1 = deliveries.send(planned("a", { afterMs: 60_000 }));
	deliveries.clear();
	await expect(planned1).rejects.toThrow("aborted");
	expect([received, deliveries.list()]).toEqual([[], []]);
});

test("a delivery that is still sent again is listed with its last answer", async () => {
	statuses = [500];
	const deliveries = open([60_000]);
	const sending = deliveries.send(planned("a"));
	await expect
		.poll(() => deliveries.list())
		.toMatchObject([{ state: "planned", answered: 500, answer: "seen", attempts: 1 }]);
	deliveries.clear();
	await expect(sending).rejects.toThrow();
});

test("those that were not sent for the first time yet are counted; dropped and answered ones are not", async () => {
	statuses = [500];
	const deliveries = open([60_000]);
	const sending = [deliveries.send(planned("a")), deliveries.send(planned("b", { afterMs: 60_000 }))];
	const ended = Promise.allSettled(sending);
	void deliveries.send(planned("c", { isDropped: true }));
	expect(deliveries.waiting()).toBe(2);
	await expect.poll(deliveries.waiting).toBe(1);
	deliveries.clear();
	expect(deliveries.waiting()).toBe(0);
	await ended;
});
