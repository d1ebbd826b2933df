import { randomUUID } from "node:crypto";
import type { AccessTokenClaims } from "@lango/contracts";
import { setUp } from "@lango/testkit/set-up";
import { beforeAll, expect, test } from "vitest";
import { openCafe } from "./cafe.ts";

const cafe = setUp(openCafe);
let coffee: string;
/** Tomorrow about noon in Nairobi: orders are counted by the day. */
const noon = new Date().setUTCHours(33, 0, 0, 0);
beforeAll(async () => {
	coffee = await cafe.item(cafe.kahawa);
	cafe.clock.now = new Date(noon);
});

/** A token that is issued now. */
function token(role: string, claims: Partial<AccessTokenClaims> = {}): string {
	const iat = (cafe.clock.now?.getTime() ?? Date.now()) / 1_000;
	return cafe.token(cafe.kahawa, role, { iat, exp: iat + 3_600, ...claims });
}

const me = randomUUID();
type Sending = { key?: string; sub?: string; quantity?: number; headers?: Record<string, string> };
const order = ({ key = randomUUID(), sub = me, quantity = 1, headers = {} }: Sending = {}) =>
	cafe.call({
		method: "POST",
		url: "/api/v1/kahawa/orders",
		token: token("member", { sub }),
		headers: { "idempotency-key": key, ...headers },
		body: { lines: [{ item_id: coffee, quantity }] },
	});
/** The clock does not move, so orders of one moment are listed in no particular order. */
const ordersOfToday = async () => {
	const { body } = await cafe.call({
		url: "/api/v1/kahawa/orders?limit=100",
		token: token("admin"),
	});
	return Math.max(0, ...(body.items as unknown as Array<{ number: number }>).map(({ number }) => number));
};

test("a repeated order with the same key is placed and counted once, and returned again", async () => {
	const key = randomUUID();
	const [first, again] = [await order({ key }), await order({ key })];
	expect([first.status, again.status]).toEqual([201, 200]);
	expect(again.body).toEqual(first.body);
	expect(await ordersOfToday()).toBe(first.body.number);
});

test("ten parallel repetitions place one order", async () => {
	const before = await ordersOfToday();
	const key = randomUUID();
	const answers = await Promise.all(Array.from({ length: 10 }, () => order({ key })));
	expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
	expect(answers.filter(({ status }) => status === 200)).toHaveLength(9);
	expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
	expect(await ordersOfToday()).toBe(before + 1);
});

test("a repetition returns the order also after the limit is reached or the item is no longer on sale", async () => {
	const key = randomUUID();
	const placed = await order({ key });
	cafe.limit(cafe.kahawa, 1);
	cafe.clock.now = new Date(noon + 120_000);
	expect((await order({ sub: randomUUID() })).body.code).toBe("limit_reached");
	await cafe.call({
		method: "PATCH",
		url: `/api/v1/kahawa/catalog/items/${coffee}`,
		token: token("admin"),
		body: { is_available: false },
	});
	expect(await order({ key })).toMatchObject({ status: 200, body: { id: placed.body.id } });
	await cafe.call({
		method: "PATCH",
		url: `/api/v1/kahawa/catalog/items/${coffee}`,
		token: token("admin"),
		body: { is_available: true },
	});
	cafe.limit(cafe.kahawa, -1);
	cafe.clock.now = new Date(noon + 240_000);
});

test("a key for another order, or at another outlet, is refused", async () => {
	const key = randomUUID();
	await order({ key });
	for (const other of [{ quantity: 2 }, { headers: { "x-outlet-id": cafe.counter.id } }])
		expect(await order({ key, ...other })).toMatchObject({
			status: 409,
			body: { code: "idempotency_key_reused" },
		});
});

test("keys are scoped to the caller: two people with the same key place an order each", async () => {
	const key = randomUUID();
	const [mine, theirs] = [await order({ key }), await order({ key, sub: randomUUID() })];
	expect([mine.status, theirs.status]).toEqual([201, 201]);
	expect(mine.body.id).not.toBe(theirs.body.id);
});

test.each(["", "two words", "x".repeat(201), "schlüssel"])(
	"the key %j is refused and the field is named",
	async (key) => {
		expect(await order({ key })).toMatchObject({
			status: 400,
			body: { code: "invalid_input", field: "idempotency-key" },
		});
	},
);

test("a browser can send the header", async () => {
	const { headers } = await cafe.call({
		method: "OPTIONS",
		url: "/api/v1/kahawa/orders",
		headers: {
			origin: "http://localhost:3000",
			"access-control-request-method": "POST",
			"access-control-request-headers": "idempotency-key, x-outlet-id, x-request-id, x-tenant-id",
		},
	});
	const allowed = String(headers["access-control-allow-headers"]).toLowerCase();
	for (const header of ["idempotency-key", "x-outlet-id", "x-request-id", "x-tenant-id", "x-ratelimit-limit"])
		expect(allowed).toContain(header);
});

test("a repetition by a person who lost the outlet does not return the order of that outlet", async () => {
	const sub = randomUUID();
	const key = randomUUID();
	const now = noon / 1_000;
	const place = (iat: number, claims: Partial<AccessTokenClaims>, headers: Record<string, string> = {}) =>
		cafe.call({
			method: "POST",
			url: "/api/v1/kahawa/orders",
			token: token("staff", { sub, iat, ...claims }),
			headers: { "idempotency-key": key, ...headers },
			body: { lines: [{ item_id: coffee }] },
		});
	const [counter, storeRoom] = [cafe.counter.id, cafe.storeRoom.id];
	const atCounter = { outlet_scope: "selected", outlet_id: counter } as const;
	const placed = await place(now - 60, atCounter);
	expect([placed.status, placed.body.outlet_id]).toEqual([201, counter]);
	expect((await place(now - 60, atCounter)).body).toEqual(placed.body);

	const moved: Partial<AccessTokenClaims> = { outlet_scope: "unselected", outlet_ids: [storeRoom] };
	const answers = [
		await place(now, moved),
		await place(now, moved, { "x-outlet-id": counter }),
		await place(now - 60, atCounter),
		await place(now - 60, atCounter, { "x-outlet-id": counter }),
	];
	expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
		[409, "idempotency_key_reused"],
		[403, "outlet_forbidden"],
		[409, "idempotency_key_reused"],
		[403, "outlet_forbidden"],
	]);
	expect(JSON.stringify(answers.map(({ body }) => body))).not.toContain(placed.body.id);
});
