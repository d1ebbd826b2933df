import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import {
	type AttemptKey,
	type CountedAttempt,
	clearAttempts,
	countAttempt,
	takeBackAttempt,
} from "../src/pins/pin-attempt.store.ts";
import { openShop, type Somebody } from "./shop.ts";
import { givePin, hire, type OpenTill, openTill, typePin } from "./till.ts";

const shop = setUp(openShop);
let till: OpenTill;
beforeAll(async () => {
	till = await openTill(shop);
});

const wrong = (who: Somebody, at = till) => typePin(shop, at, { who, pin: "0000" });
const right = (who: Somebody, at = till) => typePin(shop, at, { who, pin: "2580" });
const failTimes = async (who: Somebody, times: number) => {
	for (let n = 0; n < times; n += 1) expect((await wrong(who)).status).toBe(401);
};

/** The number of responses by status. */
const tally = (answers: ReadonlyArray<{ status: number }>) =>
	Object.fromEntries(
		[...Map.groupBy(answers, ({ status }) => status)].map(([status, { length }]) => [status, length]),
	);

/** The audit rows of a person's locks. */
async function locksOf(who: Somebody): Promise<unknown[]> {
	return inTenant(shop.database.db, who.tenant.id, (tx) =>
		tx.query("select detail from audit_log where action = 'pin.locked' and subject = $1", [who.sub]),
	);
}

async function keyOf(who: Somebody): Promise<AttemptKey> {
	const [row] = await inTenant(shop.database.db, who.tenant.id, (tx) =>
		tx.query<{ id: string }>("select id from users where auth_service_user_id = $1", [who.sub]),
	);
	if (row === undefined) throw new Error("the person is not known");
	return { tenantId: who.tenant.id, terminalId: till.id, userId: row.id };
}

test("five wrong PINs lock the person at that till for fifteen minutes, with an audit row; other tills and other people are not locked", async () => {
	const [juma, other] = [await hire(shop, till), await hire(shop, till)];
	const side = await openTill(shop);
	await failTimes(juma, 5);
	const { status, body, headers } = await right(juma);
	expect([status, body.code]).toEqual([429, "pin_locked"]);
	expect(Number(headers["retry-after"])).toBeGreaterThan(890);
	expect(Number(headers["retry-after"])).toBeLessThanOrEqual(900);
	expect(await locksOf(juma)).toEqual([{ detail: { terminal_id: till.id, failures: 5 } }]);
	expect([(await right(juma, side)).status, (await right(other)).status]).toEqual([200, 200]);
	shop.later(880);
	expect((await right(juma)).status).toBe(429);
	shop.later(25);
	expect((await right(juma)).status).toBe(200);
});

test("after a lock ends, five more PINs are checked before the next lock", async () => {
	const juma = await hire(shop, till);
	await failTimes(juma, 5);
	shop.later(901);
	await failTimes(juma, 5);
	expect((await wrong(juma)).status).toBe(429);
	expect(await locksOf(juma)).toHaveLength(2);
});

test("a right PIN resets the count, and a new PIN ends a lock", async () => {
	const juma = await hire(shop, till);
	await failTimes(juma, 4);
	expect((await right(juma)).status).toBe(200);
	await failTimes(juma, 5);
	expect((await right(juma)).status).toBe(429);
	await givePin(shop, till, { who: juma, pin: "2580" });
	expect((await right(juma)).status).toBe(200);
});

test("of 20 parallel wrong PINs at two replicas five are checked, with one audit row", async () => {
	const juma = await hire(shop, till);
	const replica = await shop.replica();
	const body = { tenant: "kahawa", terminal: till.token, user_id: juma.sub, pin: "0000" };
	const answers = await Promise.all(
		Array.from({ length: 20 }, (_, n) =>
			shop.call({ method: "POST", url: "/auth/pin", body, ...(n % 2 === 0 && { on: replica }) }),
		),
	);
	expect(tally(answers)).toEqual({ 401: 5, 429: 15 });
	expect(await locksOf(juma)).toHaveLength(1);
});

test("of 20 parallel right PINs with one failure left at least one signs in, and the person is not locked afterwards", async () => {
	const juma = await hire(shop, till);
	await failTimes(juma, 4);
	const answers = await Promise.all(Array.from({ length: 20 }, () => right(juma)));
	const { 200: admitted = 0, 429: turnedAway = 0, ...rest } = tally(answers);
	expect(rest).toEqual({});
	expect(admitted).toBeGreaterThan(0);
	expect(admitted + turnedAway).toBe(20);
	expect((await right(juma)).status).toBe(200);
	expect(await locksOf(juma)).toEqual([]);
});

test("of many parallel PINs, one of them right, no more than five are checked", async () => {
	const juma = await hire(shop, till);
	const answers = await Promise.all(
		Array.from({ length: 12 }, (_, n) => (n === 2 ? right(juma) : wrong(juma))),
	);
	const { 401: refused = 0, 200: admitted = 0 } = tally(answers);
	// The right PIN resets the count: five before it, and five after it.
	expect(refused).toBeLessThanOrEqual(admitted === 1 ? 9 : 5);
});

type Model = { failures: number; lockedUntil: number; lastAt: number };
const fresh: Model = { failures: 0, lockedUntil: 0, lastAt: Number.NEGATIVE_INFINITY };

/** The rule: five in a row lock for 900 s; the end of a lock, a right PIN or a day resets the count. */
function expected(model: Model, at: number): { model: Model; isTried: boolean } {
	if (model.lockedUntil > at) return { model, isTried: false };
	const begun = model.lockedUntil > 0 || at - model.lastAt >= 86_400 ? fresh : model;
	const failures = begun.failures + 1;
	return { model: { failures, lockedUntil: failures === 5 ? at + 900 : 0, lastAt: at }, isTried: true };
}

test("for any clock and any order of wrong, right and interrupted attempts the database follows the rule", async () => {
	const step = fc.record({
		waited: fc.oneof(fc.integer({ min: 0, max: 30 }), fc.constantFrom(300, 899, 900, 901, 86_399, 86_400)),
		outcome: fc.constantFrom("wrong", "wrong", "wrong", "wrong", "right", "interrupted"),
	});
	const { db } = shop.database;
	await fc.assert(
		fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
			const key = await keyOf(walker);
			await inTenant(db, key.tenantId, (tx) => tx.query("delete from pin_attempts"));
			let [at, model] = [1_000_000, fresh];
			for (const { waited, outcome } of steps) {
				at += waited;
				const before = model;
				const { model: next, isTried } = expected(model, at);
				const counted = await inTenant(db, key.tenantId, (tx) => countAttempt(tx, key, new Date(at * 1_000)));
				if ("lockedUntil" in counted) {
					expect([isTried, counted.lockedUntil.getTime() / 1_000]).toEqual([false, before.lockedUntil]);
					continue;
				}
				expect([isTried, counted.failures]).toEqual([true, next.failures]);
				model = await settle(key, { counted, outcome, next });
			}
		}),
		{ numRuns: 40 },
	);
});

let walker: Somebody;
beforeAll(async () => {
	walker = await hire(shop, till);
});

type Settling = { counted: CountedAttempt; outcome: string; next: Model };

async function settle(key: AttemptKey, { counted, outcome, next }: Settling): Promise<Model> {
	const { db } = shop.database;
	if (outcome === "wrong") return next;
	if (outcome === "right") {
		await inTenant(db, key.tenantId, (tx) => clearAttempts(tx, key, counted));
		return { ...fresh, lastAt: next.lastAt };
	}
	await inTenant(db, key.tenantId, (tx) => takeBackAttempt(tx, key, counted));
	return { failures: next.failures - 1, lockedUntil: 0, lastAt: next.lastAt };
}

test("the result of an attempt of an earlier round does not change the next round", async () => {
	const key = await keyOf(await hire(shop, till));
	const within = <T>(work: Parameters<typeof inTenant<T>>[2]) =>
		inTenant(shop.database.db, key.tenantId, work);
	const count = () => within((tx) => countAttempt(tx, key, shop.now()));
	const [early, winner] = [await count(), await count()];
	if ("lockedUntil" in early || "lockedUntil" in winner) throw new Error("the person must not be locked yet");
	await within((tx) => clearAttempts(tx, key, winner));
	expect(await count()).toMatchObject({ failures: 1 });
	await within((tx) => takeBackAttempt(tx, key, early));
	await within((tx) => clearAttempts(tx, key, early));
	expect(await count()).toMatchObject({ failures: 2 });
});
