import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openTill } from "../till.ts";

const till = setUp(openTill);

/** A request of one of two callers, with one of two keys and one of five bodies. */
const request = fc.record({
	...{ caller: fc.nat(1), key: fc.nat(1), body: fc.nat(4) },
	isTurned: fc.boolean(),
});
type Request = typeof request extends fc.Arbitrary<infer T> ? T : never;
/** Requests of one list come at the same time. */
const lists = fc.array(fc.array(request, { minLength: 1, maxLength: 6 }), { minLength: 2, maxLength: 4 });

const bodiesOf = (operation_id: string) => [
	{ amount_minor: 150_000 },
	{ amount_minor: 160_000 },
	{ metadata: { table: 4, guests: 2 } },
	{ operation_id },
	{ operation_id, amount_minor: 180_000 },
];
const isOfOperation = ({ body }: Request): boolean => body >= 3;
/** Another order of the members is the same request. */
const turned = (body: object): object => Object.fromEntries(Object.entries(body).reverse());

type Answer = Request & { status: number; id: string; code: unknown };
type Sending = { tokens: string[]; keys: string[]; operationId: string };

async function send(one: Request, { tokens, keys, operationId }: Sending): Promise<Answer> {
	const order = { currency: "KES", description: "Order 17", channels: ["push"], amount_minor: 170_000 };
	const body = { ...order, ...bodiesOf(operationId)[one.body] };
	const { status, body: said } = await till.call({
		...{ method: "POST", url: "/api/v1/uhai/treasury/intents", token: tokens[one.caller] },
		...{ body: one.isTurned ? turned(body) : body, headers: { "idempotency-key": keys[one.key] ?? "" } },
	});
	return { ...one, status, id: String(said["id"]), code: said["code"] };
}

/**
 * The requests of one caller with one key: one body made or found one object, and every other body is
 * refused. Without an object, each was refused because of its operation.
 */
function expectOneObject(answers: readonly Answer[], operation: Answer | undefined): void {
	const [named] = answers.filter(({ status }) => status < 300);
	for (const { body, status, id, code } of answers)
		if (body === named?.body) expect([status, id]).toEqual([expect.toBeOneOf([200, 201]), named.id]);
		else
			expect([409, refusalsOf(body, { named, operation })]).toEqual([status, expect.arrayContaining([code])]);
}

/**
 * An operation belongs to the first body that asked for it. Until a key names an object, it refuses
 * nothing.
 */
const refusalsOf = (body: number, by: { named: Answer | undefined; operation: Answer | undefined }) => [
	...(by.named === undefined ? [] : ["idempotency_key_reused"]),
	...(body >= 3 && by.operation !== undefined && by.operation.body !== body ? ["operation_differs"] : []),
];

const countIntents = async () => {
	const { id } = till.tenants.uhai;
	const [row] = await inTenant(till.database.db, id, (tx) =>
		tx.query<{ all: number }>("select count(*)::int as all from intents"),
	);
	return row?.all ?? 0;
};

test("these routes take an Idempotency-Key", async () => {
	const { body } = await till.call({ method: "GET", url: "/openapi.json" });
	type Operation = { parameters?: Array<{ name: string }> };
	const paths = Object.entries(body["paths"] as Record<string, Record<string, Operation>>);
	const taking = paths.flatMap(([path, operations]) =>
		Object.entries(operations)
			.filter(([, { parameters = [] }]) => parameters.some(({ name }) => name === "idempotency-key"))
			.map(([method]) => `${method} ${path}`),
	);
	expect(taking.toSorted()).toEqual([
		"post /api/v1/{tenant}/treasury/card-subscriptions",
		"post /api/v1/{tenant}/treasury/intents",
		"post /api/v1/{tenant}/treasury/payment-pages",
		"post /api/v1/{tenant}/treasury/payouts",
		"post /api/v1/{tenant}/treasury/payouts/bulk",
		"post /api/v1/{tenant}/treasury/plans",
		"post /api/v1/{tenant}/treasury/refunds",
		"post /api/v1/{tenant}/treasury/reversals",
		"post /api/v1/{tenant}/treasury/standing-orders",
	]);
});

test("one key of a caller is one object, whatever comes again or at once, also of a known operation; another body is refused (I18)", async () => {
	const { uhai } = till.tenants;
	const tokens = ["admin", "manager"].map((role) => till.token(uhai, role));
	const property = fc.asyncProperty(lists, async (some) => {
		const sending = { tokens, keys: [randomUUID(), randomUUID()], operationId: randomUUID() };
		const before = await countIntents();
		const answers: Answer[] = [];
		for (const list of some) answers.push(...(await Promise.all(list.map((one) => send(one, sending)))));
		const taken = answers.filter(({ status }) => status < 300);
		const operation = taken.find(isOfOperation);
		expect(new Set(taken.filter(isOfOperation).map(({ id }) => id)).size).toBe(operation ? 1 : 0);
		for (const ofKey of Map.groupBy(answers, (one) => `${one.caller} ${one.key}`).values())
			expectOneObject(ofKey, operation);
		const made = answers.filter(({ status }) => status === 201);
		expect((await countIntents()) - before).toBe(made.length);
		expect(new Set(taken.map(({ id }) => id)).size).toBe(made.length);
	});
	await fc.assert(property, { numRuns: 30, endOnFailure: true });
});
