import { createHmac } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { callbackRoutes } from "../../src/inbox/callback-token.ts";
import { fixture, startTestGateway } from "../gateways/test-gateway.ts";
import { listRows } from "./delivery-rows.store.ts";
import { cardKey, setUpInbox } from "./inbox-at.ts";

// The card gateway knows no charge and no transfer, and its lists are empty.
const gateway = await startTestGateway();
gateway.answerWith(({ url }) =>
	url.includes("/verify/")
		? fixture("card-gateway/not-found", 404)
		: {
				status: 200,
				body: { status: true, message: "Retrieved", data: [], meta: { page: 1, pageCount: 1 } },
			},
);
afterAll(() => gateway.close());

const at = setUpInbox({ CARDGW_URL: gateway.url });
const folder = join(import.meta.dirname, "../fixtures/webhooks");
const payloads = ["mobile-money", "card-gateway"].flatMap((gateway) =>
	readdirSync(join(folder, gateway)).map((name) => readFileSync(join(folder, gateway, name))),
);

/** A payload of a gateway with some bytes replaced, JSON, or any bytes. */
const content = fc.oneof(
	fc
		.tuple(fc.constantFrom(...payloads), fc.nat(), fc.uint8Array({ maxLength: 8 }))
		.map(([payload, place, bytes]) => {
			const from = place % payload.length;
			return Buffer.concat([payload.subarray(0, from), bytes, payload.subarray(from + bytes.length)]);
		}),
	fc.json().map((text) => Buffer.from(text)),
	fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
);
const request = fc.record({
	prefix: fc.constantFrom("", "/api/v1"),
	route: fc.constantFrom(...callbackRoutes),
	rest: fc.constantFrom("", `/00000000-0000-4000-8000-000000000000/${"0".repeat(32)}`, "/x/y"),
	content,
});

test("callbacks answer 200 whatever they contain, and each is applied, ignored or parked without an error (I20)", async () => {
	const property = fc.asyncProperty(request, async (given) => {
		const answer = await at.post(
			`${given.prefix}/webhooks/mobilemoney/${given.route}${given.rest}`,
			given.content,
		);
		expect(answer.status).toBe(200);
	});
	await fc.assert(property, { numRuns: 150, endOnFailure: true });
	await expectEnded();
});

test("signed events answer 200 whatever they contain, and each is applied, ignored or parked without an error (I20)", async () => {
	const property = fc.asyncProperty(content, async (raw) => {
		const signature = createHmac("sha512", cardKey).update(raw).digest("hex");
		const answer = await at.post("/webhooks/cardgateway", raw, { "x-cardgw-signature": signature });
		expect(answer.status).toBe(200);
	});
	await fc.assert(property, { numRuns: 150, endOnFailure: true });
	await expectEnded();
});

async function expectEnded(): Promise<void> {
	await at.built.jobs.runDue();
	const rows = await listRows(at.database.db);
	expect(rows.length).toBeGreaterThan(20);
	expect(rows.filter(({ status }) => status === "received")).toEqual([]);
	expect(at.logged.filter((line) => line.includes('"level":50'))).toEqual([]);
}
