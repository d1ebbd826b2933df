import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import {
	type CountedFailure,
	claimLockRecord,
	countFailure,
	takeBackFailure,
} from "../src/pins/pin-failure.store.ts";
import { ofHeadquarters, openShop, type Somebody, somebody } from "./shop.ts";
import { at, givePin, hire, meet, type OpenTill, openTill, typePin } from "./till.ts";

const shop = setUp(openShop);
/** Six terminals: one more than 20 failures need when each admits four. */
let tills: OpenTill[];
beforeAll(async () => {
	tills = [];
	for (let n = 0; n < 6; n += 1) tills.push(await openTill(shop));
});

const tillAt = (n: number): OpenTill => {
	const till = tills[n % tills.length];
	if (till === undefined) throw new Error("no terminals");
	return till;
};
const wrong = (who: Somebody, n: number) => typePin(shop, tillAt(n), { who, pin: "0000" });
const right = (who: Somebody, n = 5) => typePin(shop, tillAt(n), { who, pin: "2580" });
const failTimes = async (who: Somebody, times: number, from = 0) => {
	for (let n = from; n < from + times; n += 1) expect((await wrong(who, n)).status).toBe(401);
};

const rowsAbout = <R extends Record<string, unknown>>(who: Somebody, text: string) =>
	inTenant(shop.database.db, who.tenant.id, (tx) => tx.query<R>(text, [who.sub]));
const auditOf = (who: Somebody) =>
	rowsAbout(who, "select action from audit_log where action like 'pin.locked%' and subject = $1 order by id");
const eventsOf = async (who: Somebody) => {
	const rows = await shop.database.db.query<{ envelope: { data: Record<string, unknown> } }>(
		"select envelope from outbox where type = 'pos.pin.locked' and subject = $1",
		[who.sub],
	);
	return rows.map(({ envelope }) => envelope.data);
};

test("20 wrong PINs within an hour at several terminals lock the person at all of them for an hour", async () => {
	const juma = await hire(shop, tillAt(0));
	await failTimes(juma, 19);
	expect(await eventsOf(juma)).toEqual([]);
	await failTimes(juma, 1, 19);
	for (const [n] of tills.entries()) {
		const { status, body, headers } = await right(juma, n);
		expect([status, body.code, body.scope]).toEqual([429, "pin_locked", "person"]);
		expect(Number(headers["retry-after"])).toBeGreaterThan(3_500);
	}
	expect(await auditOf(juma)).toEqual([{ action: "pin.locked_everywhere" }]);
	shop.later(3_500);
	expect((await right(juma)).status).toBe(429);
	shop.later(101);
	expect((await right(juma)).status).toBe(200);
});

test("administrators are notified of the lock by one event that names the person, the terminal and the time", async () => {
	const juma = await hire(shop, tillAt(0));
	await failTimes(juma, 20);
	expect(await eventsOf(juma)).toEqual([
		{
			user_id: juma.sub,
			tenant_id: shop.kahawa.id,
			outlet_id: shop.outlet(shop.kahawa).id,
			terminal_id: tillAt(19).id,
			failures: 20,
			locked_until: expect.any(String),
		},
	]);
});

test("a new PIN ends the lock of the person", async () => {
	const juma = await hire(shop, tillAt(0));
	await failTimes(juma, 20);
	await givePin(shop, tillAt(0), { who: juma, pin: "2580" });
	expect((await right(juma)).status).toBe(200);
	await failTimes(juma, 19);
	expect((await right(juma)).status).toBe(200);
});

test("a right PIN does not reset the hourly count, and is not counted itself", async () => {
	const juma = await hire(shop, tillAt(0));
	await failTimes(juma, 10);
	for (let n = 0; n < 6; n += 1) expect((await right(juma, n)).status).toBe(200);
	await failTimes(juma, 10, 10);
	expect((await right(juma)).status).toBe(429);
});

test("attempts that a lock rejects do not extend it, and the terminal's lock does not count for the person", async () => {
	const juma = await hire(shop, tillAt(0));
	for (let n = 0; n < 5; n += 1) expect((await wrong(juma, 0)).status).toBe(401);
	for (let n = 0; n < 30; n += 1) expect((await wrong(juma, 0)).body.scope).toBe("terminal");
	for (let n = 0; n < 15; n += 1) expect((await wrong(juma, 1 + (n % 4))).status).toBe(401);
	shop.later(1_800);
	for (let n = 0; n < 10; n += 1) expect((await wrong(juma, n)).body.scope).toBe("person");
	shop.later(1_801);
	expect((await right(juma)).status).toBe(200);
});

test("other people and the same person in another tenant are not locked", async () => {
	const [juma, other] = [await hire(shop, tillAt(0)), await hire(shop, tillAt(0))];
	const elsewhere = await openTill(shop, { tenant: shop.uhai });
	const there = { ...juma, tenant: shop.uhai };
	await meet(shop, there);
	await givePin(shop, elsewhere, { who: there, pin: "2580" });
	await failTimes(juma, 20);
	expect((await right(other)).status).toBe(200);
	expect((await typePin(shop, elsewhere, { who: there, pin: "2580", tenant: "uhai" })).status).toBe(200);
});

test("of 60 parallel wrong PINs at six terminals and two replicas exactly 20 are checked, with one event", async () => {
	const juma = await hire(shop, tillAt(0));
	const replica = await shop.replica();
	const answers = await Promise.all(
		Array.from({ length: 60 }, (_, n) =>
			shop.call({
				method: "POST",
				url: "/auth/pin",
				body: { tenant: "kahawa", terminal: tillAt(n).token, user_id: juma.sub, pin: "0000" },
				...(n % 4 < 2 && { on: replica }),
			}),
		),
	);
	expect(answers.filter(({ status }) => status === 401)).toHaveLength(20);
	expect(answers.filter(({ status }) => status === 429)).toHaveLength(40);
	expect(await eventsOf(juma)).toHaveLength(1);
});

test("of 12 parallel right PINs with one failure left at least one signs in, and the person is not locked afterwards", async () => {
	const juma = await hire(shop, tillAt(0));
	await failTimes(juma, 19);
	const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => right(juma, n)));
	const statuses = new Set(answers.map(({ status }) => status));
	expect(statuses.has(200)).toBe(true);
	statuses.delete(200);
	statuses.delete(429);
	expect([...statuses]).toEqual([]);
	expect((await right(juma)).status).toBe(200);
	expect(await eventsOf(juma)).toEqual([]);
});

type Model = { failedAt: number[]; lockedUntil: number };

/**
 * The rule for one attempt: the failures of the last hour before it, undefined while the person is locked.
 */
function recentOf({ failedAt, lockedUntil }: Model, now: number): number[] | undefined {
	if (lockedUntil > now) return undefined;
	return lockedUntil > 0 ? [] : failedAt.filter((one) => one > now - 3_600);
}

function afterFailure(recent: readonly number[], now: number): Model {
	const failedAt = [...recent, now];
	return { failedAt, lockedUntil: failedAt.length >= 20 ? now + 3_600 : 0 };
}

/** The key of a person's failures, and transactions in their tenant. */
async function storeOf(who: Somebody) {
	const [row] = await rowsAbout<{ id: string }>(who, "select id from users where auth_service_user_id = $1");
	const key = { tenantId: who.tenant.id, userId: String(row?.id) };
	const within = <T>(work: Parameters<typeof inTenant<T>>[2]) =>
		inTenant(shop.database.db, key.tenantId, work);
	return { key, within };
}

test("a lock that a taken-back failure ended and another failure began again is recorded once", async () => {
	const { key, within } = await storeOf(await hire(shop, tillAt(0)));
	const fail = (at: Date) => within((tx) => countFailure(tx, key, at));
	const claim = (at: Date) => within((tx) => claimLockRecord(tx, key, at));
	const [now, inAnHour] = [new Date(1_000_000_000), new Date(1_003_601_000)];
	for (let n = 0; n < 19; n += 1) await fail(now);
	const unchecked = (await fail(now)) as CountedFailure;
	expect(await claim(now)).toEqual(new Date(1_003_600_000));
	await within((tx) => takeBackFailure(tx, key, unchecked));
	expect(await fail(now)).toMatchObject({ failures: 20 });
	expect(await claim(now)).toBeUndefined();
	for (let n = 0; n < 20; n += 1) await fail(inAnHour);
	expect(await claim(inAnHour)).toEqual(new Date(1_007_201_000));
});

test("under any clock and order of wrong and right PINs no hour has more than 20 failures, and every lock lasts an hour", async () => {
	const walker = await hire(shop, tillAt(0));
	const { key, within } = await storeOf(walker);
	const attempt = async (
		model: Model,
		{ now, isRight }: { now: number; isRight: boolean },
	): Promise<Model> => {
		const counted = await within((tx) => countFailure(tx, key, new Date(now * 1_000)));
		const recent = recentOf(model, now);
		if (recent === undefined) {
			expect(counted).toEqual({ lockedUntil: new Date(model.lockedUntil * 1_000) });
			return model;
		}
		expect(counted).toMatchObject({ failures: recent.length + 1 });
		if (!isRight) return afterFailure(recent, now);
		await within((tx) => takeBackFailure(tx, key, counted as CountedFailure));
		return { failedAt: recent, lockedUntil: 0 };
	};
	const step = fc.record({
		waited: fc.oneof(fc.integer({ min: 0, max: 200 }), fc.constantFrom(0, 3_599, 3_600, 3_601)),
		isRight: fc.nat({ max: 9 }).map((n) => n === 0),
	});
	await fc.assert(
		fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 60 }), async (steps) => {
			await within((tx) => tx.query("delete from pin_failures"));
			let now = 1_000_000;
			let model: Model = { failedAt: [], lockedUntil: 0 };
			for (const { waited, isRight } of steps) {
				now += waited;
				model = await attempt(model, { now, isRight });
			}
		}),
		{ numRuns: 25 },
	);
});

test("old counts are purged", async () => {
	const juma = await hire(shop, tillAt(0));
	await failTimes(juma, 1);
	shop.later(86_401);
	await shop.jobs.run("till-sessions.purge");
	const counts = await rowsAbout(
		juma,
		"select 1 from pin_failures f join users u using (tenant_id) where u.id = f.user_id and u.auth_service_user_id = $1",
	);
	expect(counts).toEqual([]);
});

test("staff cannot administer terminals or set another person's PIN, managers can", async () => {
	const [staff, manager, cashier] = [
		{ ...somebody(shop.kahawa, "staff"), claims: { outlet_id: shop.outlet(shop.kahawa).id } },
		ofHeadquarters(shop.kahawa, "manager"),
		await hire(shop, tillAt(0)),
	];
	const terminal = { outlet_id: shop.outlet(shop.kahawa).id, name: "Till" };
	const tryAll = async (who: Somebody) => {
		const token = shop.token(who);
		const add = await shop.call({
			method: "POST",
			url: at(shop.kahawa, "/terminals"),
			token,
			body: terminal,
		});
		const till = add.body.id ?? tillAt(0).id;
		const requests = [
			{ method: "DELETE", url: `/terminals/${till}` },
			{ method: "PUT", url: `/pins/${cashier.sub}`, body: { pin: "1357" } },
			{ method: "DELETE", url: `/pins/${cashier.sub}` },
			{ method: "PUT", url: "/pins/own", body: { pin: "1357" } },
			{ method: "GET", url: "/terminals" },
		] as const;
		const statuses = [add.status];
		for (const { url, ...request } of requests)
			statuses.push((await shop.call({ ...request, url: at(shop.kahawa, url), token })).status);
		return statuses;
	};
	expect(await tryAll(staff)).toEqual([403, 403, 403, 403, 200, 200]);
	expect(await tryAll(manager)).toEqual([201, 204, 200, 204, 200, 200]);
});

test("a person who holds pins.change alone cannot set another person's PIN", async () => {
	const admin = shop.token(tillAt(0).manager);
	const url = at(shop.kahawa, "/roles");
	const body = { code: "pin_changer", permissions: ["pos.pins.change"] };
	expect((await shop.call({ method: "POST", url, token: admin, body })).status).toBe(201);
	const [who, cashier] = [somebody(shop.kahawa, "member"), await hire(shop, tillAt(0))];
	await meet(shop, who);
	const assigned = await shop.call({
		method: "POST",
		url: `${url}/pin_changer/assignments`,
		token: admin,
		body: { user_id: who.sub },
	});
	expect(assigned.status).toBe(201);
	expect((await givePin(shop, { manager: who }, { who: cashier, pin: "1357" })).status).toBe(403);
});
