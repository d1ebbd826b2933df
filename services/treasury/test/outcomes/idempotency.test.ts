import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openTill } from "../till.ts";

const till = setUp(openTill);

/** A request of one of two callers, with one of two keys and one of three bodies. */
const request = fc.record({
	...{ caller: fc.nat(1), key: fc.nat(1), body: fc.nat(2) },
	isTurned: fc.boolean(),
});
type Request = typeof request extends fc.Arbitrary<infer T> ? T : never;
/** Requests of one list come at the same time. */
const lists = fc.array(fc.array(request, { minLength: 1, maxLength: 6 }), { minLength: 2, maxLength: 4 });

const bodies = [{ amount_minor: 150_000 }, { amount_minor: 160_000 }, { metadata: { table: 4, guests: 2 } }];
/** Another order of the members is the same request. */
const turned = (body: object): object => Object.fromEntries(Object.entries(body).reverse());

type Answer = Request & { status: number; id: string; code: unknown };
type Caller = { tokens: string[]; keys: string[] };

async function send(one: Request, { tokens, keys }: Caller): Promise<Answer> {
	const order = { currency: "KES", description: "Order 17", channels: ["push"], amount_minor: 170_000 };
	const body = { ...order, ...bodies[one.body] };
	const { status, body: said } = await till.call({
		...{ method: "POST", url: "/api/v1/uhai/treasury/intents", token: tokens[one.caller] },
		...{ body: one.isTurned ? turned(body) : body, headers: { "idempotency-key": keys[one.key] ?? "" } },
	});
	return { ...one, status, id: String(said["id"]), code: said["code"] };
}

/** The requests of one caller with one key: one body made one object, and every other body is refused. */
function expectOneObject(answers: readonly Answer[]): void {
	const made = answers.filter(({ status }) => status === 201);
	expect(made).toHaveLength(1);
	for (const { body, status, id, code } of answers)
		expect(body === made[0]?.body ? [status < 202, id] : [status, code]).toEqual(
			body === made[0]?.body ? [true, made[0].id] : [409, "idempotency_key_reused"],
		);
}

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
	expect(taking).toEqual(["post /api/v1/{tenant}/treasury/intents"]);
});

test("one key of a caller is one object, whatever comes again or at once; another body is refused (I18)", async () => {
	const { uhai } = till.tenants;
	const tokens = ["admin", "manager"].map((role) => till.token(uhai, role));
	const property = fc.asyncProperty(lists, async (some) => {
		const caller = { tokens, keys: [randomUUID(), randomUUID()] };
		const before = await countIntents();
		const answers: Answer[] = [];
		for (const list of some) answers.push(...(await Promise.all(list.map((one) => send(one, caller)))));
		const byKey = Map.groupBy(answers, (one) => `${one.caller} ${one.key}`);
		for (const ofKey of byKey.values()) expectOneObject(ofKey);
		expect((await countIntents()) - before).toBe(byKey.size);
	});
	await fc.assert(property, { numRuns: 30, endOnFailure: true });
});
