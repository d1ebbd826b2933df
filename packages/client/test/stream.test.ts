import type { ClientError, StreamEvent, StreamOptions } from "@lango/client";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { identity, openTestServer, type TestServer, tokens } from "./test-server.ts";

let server: TestServer;
beforeEach(async () => {
	server = await openTestServer();
});
afterEach(async () => {
	await server.close();
});

const line = "GET /mail/stream";
const headers = { "content-type": "text/event-stream; charset=utf-8" };
const item = (id: number) => `id: ${id}\nevent: item\ndata: {"n":${id}}\n\n`;
const open = (body = item(1)) => ({ headers, body, isOpen: true });
const requests = () => server.asked.filter((asked) => asked.line === line);

/** Signs in and opens the stream. */
async function openStream(options: Partial<StreamOptions> = {}) {
	const client = server.client({ urls: [`${server.url}/mail`] });
	server.on("GET /api/v1/tenants/uhai/outlets", { body: [] });
	await client.start();
	const events: StreamEvent[] = [];
	const ended: ClientError[] = [];
	const close = client.stream(`${server.url}/mail/stream`, {
		onEvent: (event) => events.push(event),
		onEnd: (error) => ended.push(error),
		...options,
	});
	onTestFinished(() => client.close());
	return { client, events, ended, close };
}
const eventually = (check: () => void) => vi.waitFor(check, { timeout: 5_000, interval: 5 });

test("a stream sends token and tenant in headers, and returns the events", async () => {
	server.on(line, open());
	const { events } = await openStream();
	await eventually(() => expect(events).toEqual([{ event: "item", data: '{"n":1}', id: "1" }]));
	expect(requests()[0]?.headers).toMatchObject({
		accept: "text/event-stream",
		authorization: expect.stringMatching(/^Bearer \S+$/),
		"x-tenant-id": identity.tenant_id,
	});
	expect(requests()[0]?.headers).not.toHaveProperty("last-event-id");
});

test("a stream that ends is opened again from the last event on", async () => {
	const replies = [{ headers, body: item(7) }, open(item(8))];
	server.on(line, () => replies.shift() ?? "hang");
	const { events } = await openStream();
	await eventually(() => expect(events.map(({ id }) => id)).toEqual(["7", "8"]));
	expect(requests().map((asked) => asked.headers["last-event-id"])).toEqual([undefined, "7"]);
});

test.each([
	["the service is not reachable", "cut" as const],
	["the service fails", { status: 503 }],
	["something else responds", { status: 200, body: {} }],
])("if %s, the delay doubles up to a minute, with half of it random", async (_rule, reply) => {
	server.on(line, reply);
	const { ended, close } = await openStream();
	await eventually(() => expect(requests().length).toBeGreaterThan(9));
	close();
	const at = requests().map((asked) => asked.at);
	for (const [index, delay] of at
		.slice(1)
		.map((time, index) => time - (at[index] ?? 0))
		.entries()) {
		const most = Math.min(1_000 * 2 ** index, 60_000);
		expect(delay).toBeGreaterThanOrEqual(most / 2);
		expect(delay).toBeLessThanOrEqual(most);
	}
	expect(ended).toEqual([]);
});

test("a stream that was open for a while is opened again after the first delay", async () => {
	const replies = ["cut", "cut", "cut", "long"];
	server.on(line, () => {
		const reply = replies.shift();
		if (reply === "cut") return "cut";
		if (reply === undefined) return open();
		server.now.at += 60_000;
		return { headers, body: item(1) };
	});
	await openStream();
	await eventually(() => expect(requests().length).toBe(5));
	const [before = 0, after = 0] = requests()
		.slice(3)
		.map((asked) => asked.at);
	expect(after - before - 60_000).toBeLessThanOrEqual(1_000);
});

test("Retry-After is respected up to a minute", async () => {
	const replies = [
		{ status: 429, headers: { "retry-after": "20" }, body: {} },
		{ status: 503, headers: { "retry-after": "9999" }, body: {} },
	];
	server.on(line, () => replies.shift() ?? open());
	await openStream();
	await eventually(() => expect(requests().length).toBe(3));
	const [first = 0, second = 0, third = 0] = requests().map((asked) => asked.at);
	expect([second - first, third - second]).toEqual([20_000, 60_000]);
});

test("a 401 causes one refresh, and the stream is opened with the new token", async () => {
	server.on(line, () => (requests().length === 1 ? { status: 401, body: {} } : open()));
	const { events } = await openStream();
	await eventually(() => expect(events).toHaveLength(1));
	const [first, second, ...more] = requests().map((asked) => asked.headers.authorization);
	expect(second).not.toBe(first);
	expect(more).toEqual([]);
});

test("an expired token is refreshed before the stream is opened again", async () => {
	server.on("POST /api/v1/auth/refresh", () => {
		const { length } = server.lines().filter((asked) => asked === "POST /api/v1/auth/refresh");
		return { body: tokens({ jti: String(length) }, length) };
	});
	const replies = [{ headers, body: item(1) }];
	server.on(line, () => {
		const reply = replies.shift();
		if (reply !== undefined) server.now.at += 21_600_000;
		return reply ?? open();
	});
	await openStream();
	await eventually(() => expect(requests().length).toBe(2));
	const [first, second] = requests().map((asked) => asked.headers.authorization);
	expect(second).not.toBe(first);
});

test.each([403, 404])("a stream refused with %i is not opened again", async (status) => {
	server.on(line, { status, body: { error: "No.", code: "no" } });
	const { ended } = await openStream();
	await eventually(() => expect(ended).toMatchObject([{ status, code: "no" }]));
	await new Promise((resolve) => setTimeout(resolve, 30));
	expect(requests()).toHaveLength(1);
});

test("a stream that is refused with 401 after a refresh ends the session, as a call does", async () => {
	server.on(line, { status: 401, body: { error: "No.", code: "token_invalid" } });
	const { client } = await openStream();
	server.now.at += 60_000;
	await eventually(() => expect(client.getState().status).toBe("redirecting"));
	expect(requests()).toHaveLength(2);
});

test("a stream that sends nothing is opened again", async () => {
	server.on(line, () => (requests().length === 1 ? open(": ping\n\n") : open()));
	const { events } = await openStream({ silenceMilliseconds: 30 });
	await eventually(() => expect(events.length).toBeGreaterThan(0));
});

test.each<[string, (opened: Awaited<ReturnType<typeof openStream>>) => unknown]>([
	["the sign-out", ({ client }) => client.signOut()],
	["the close of the client", ({ client }) => client.close()],
	["its own close", ({ close }) => close()],
])("%s ends the stream", async (_rule, end) => {
	server.on(line, open());
	const opened = await openStream();
	await eventually(() => expect(opened.events).toHaveLength(1));
	await end(opened);
	await new Promise((resolve) => setTimeout(resolve, 30));
	expect(requests()).toHaveLength(1);
});

test("a client has one stream: a new one closes the one before", async () => {
	server.on(line, { headers, body: item(1) });
	server.on("GET /mail/other", open());
	const { client } = await openStream();
	client.stream(`${server.url}/mail/other`, { onEvent: () => {} });
	await eventually(() => expect(server.lines()).toContain("GET /mail/other"));
	const { length } = requests();
	await new Promise((resolve) => setTimeout(resolve, 30));
	expect(requests().length).toBe(length);
});

test("a stream to an address outside of the client's services is an error", async () => {
	const { client } = await openStream();
	expect(() => client.stream("http://elsewhere.test/stream", { onEvent: () => {} })).toThrow(/must not call/);
});
