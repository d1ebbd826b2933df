import { createServer } from "node:net";
import type { Database } from "@lango/postgres";
import { createTestDatabase } from "@lango/testkit";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { accepted, unknown } from "../../src/gateways/calls/answer.ts";
import { type CallGateway, createCallGateway } from "../../src/gateways/calls/call-gateway.ts";
import { startPush } from "../../src/gateways/mobile-money/push.ts";
import { treasury } from "../../src/service.ts";
import { keptLog, shortcodeAt } from "./shortcode-at.ts";
import { startTestGateway, type TestGateway } from "./test-gateway.ts";

let gateway: TestGateway;
beforeAll(async () => {
	gateway = await startTestGateway();
});
afterEach(() => {
	gateway.received.length = 0;
});
afterAll(() => gateway.close());

const ask = (
	call: CallGateway,
	change: { baseUrl?: string; operation?: string; perSecond?: number; isQuery?: boolean } = {},
) => {
	const { baseUrl = gateway.url, operation = "test", perSecond = 10_000, isQuery = false } = change;
	return call(
		{
			...{ profile: { id: "profile", baseUrl }, operation, method: "POST", path: "/x", headers: {} },
			...{ json: { phone: "254712345678" }, bucket: { key: "600100", perSecond, isQuery } },
		},
		({ status, body }) => (status === 200 ? accepted(body, body) : unknown(`http_${status}`)),
	);
};
const calls = (options: { isPublicOnly?: boolean; timeFactor?: number; db?: Database } = {}) =>
	createCallGateway({ log: keptLog().log, isPublicOnly: false, ...options });

test("a gateway that is not listening was not reached: refused, and may be sent again", async () => {
	const server = createServer().listen(0, "127.0.0.1");
	await new Promise((resolve) => server.once("listening", resolve));
	const { port } = server.address() as { port: number };
	await new Promise((resolve) => server.close(resolve));
	expect(await ask(calls(), { baseUrl: `http://127.0.0.1:${port}` })).toMatchObject({
		...{ is: "refused", code: "unreachable", isRetryable: true },
	});
});

test("a connection that ends without an answer is unknown, and is not tried again", async () => {
	gateway.answerWith(() => "reset");
	expect(await ask(calls())).toEqual({ is: "unknown", because: "econnreset" });
	expect(gateway.received).toHaveLength(1);
});

test("no answer within the time limit is unknown", async () => {
	gateway.answerWith(() => "silence");
	expect(await ask(calls({ timeFactor: 0.1 }))).toEqual({ is: "unknown", because: "timeout" });
});

test("in production a gateway without https, or with an address that is not public, is not called", async () => {
	gateway.answerWith(() => ({ status: 200, body: {} }));
	const strict = calls({ isPublicOnly: true });
	for (const baseUrl of [gateway.url, "https://127.0.0.1:1", "https://[::1]:1", "https://localhost:1"])
		expect(await ask(strict, { baseUrl }), baseUrl).toMatchObject({ is: "refused", code: "unreachable" });
	expect(gateway.received).toEqual([]);
});

test("after 20 failures an operation is refused without a call, and another operation is still called", async () => {
	gateway.answerWith(({ body }) => ({ status: "phone" in body ? 500 : 200, body: {} }));
	const call = calls();
	for (let count = 0; count < 20; count += 1) expect(await ask(call)).toMatchObject({ is: "unknown" });
	expect(await ask(call)).toMatchObject({ is: "refused", code: "circuit_open", isRetryable: true });
	expect(gateway.received).toHaveLength(20);
	expect(await ask(call, { operation: "other" })).toMatchObject({ is: "unknown" });
});

test("a shortcode has its calls per second, of which a fifth is kept for queries; more than two seconds do not wait", async () => {
	gateway.answerWith(() => ({ status: 200, body: {} }));
	const call = calls();
	const others = Array.from({ length: 13 }, () => ask(call, { perSecond: 5 }));
	expect(await ask(call, { perSecond: 5, isQuery: true })).toMatchObject({ is: "accepted" });
	const answers = await Promise.all(others);
	expect(answers.filter(({ is }) => is === "accepted")).toHaveLength(12);
	expect(answers.find(({ is }) => is === "refused")).toMatchObject({
		code: "rate_limited",
		isRetryable: true,
	});
});

test("two processes share the calls per second of a shortcode, and each counts by itself while the database is away", async () => {
	const database = await createTestDatabase({ name: "treasury", sets: treasury.migrations });
	gateway.answerWith(() => ({ status: 200, body: {} }));
	const both = [calls({ db: database.db }), calls({ db: database.db })];
	const from = performance.now();
	await Promise.all(both.flatMap((call) => Array.from({ length: 6 }, () => ask(call, { perSecond: 5 }))));
	// Four calls in each second: the last four begin in the third one.
	expect(performance.now() - from).toBeGreaterThan(1_900);
	expect(gateway.received).toHaveLength(12);
	await database.drop();
	for (const call of both) expect(await ask(call, { perSecond: 5 })).toMatchObject({ is: "accepted" });
});

test("an integer beyond 2^53 of an answer stays exact, as text", async () => {
	gateway.answerWith(() => ({ status: 200, body: '{"id":12345678901234567890,"amount":100}' }));
	expect(await ask(calls())).toMatchObject({ raw: { id: "12345678901234567890", amount: 100 } });
});

test("the log of a call has its operation, its outcome and the gateway's words, and no phone, key, passkey, token or address", async () => {
	gateway.answerWith(() => ({
		status: 400,
		body: {
			errorCode: "400.002.02",
			errorMessage: `Bad PhoneNumber 254712345678, 0712 345 678 or amina@example.com at ${gateway.url}`,
		},
	}));
	const { lines, log } = keptLog();
	await startPush(shortcodeAt(gateway.url, { log }), {
		...{ amountMinor: 100n, phone: "254712345678", accountReference: "A", description: "" },
		callbackUrl: "https://pay.example/callback/0123456789abcdef0123456789abcdef",
	});
	expect(lines).toHaveLength(1);
	expect(lines[0]).toContain('"operation":"push"');
	expect(lines[0]).toContain('"gateway_text":"Bad PhoneNumber •••, ••• or ••• at •••"');
	expect(lines[0]).not.toMatch(/2547|345|amina|passkey|token|Bearer|0123456789|127\.0\.0\.1/);
});
