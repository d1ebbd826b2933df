import { randomUUID } from "node:crypto";
import { listUnguardedTables } from "@lango/postgres";
import { countTenantRows, testSubscription, waitForBlockedQueries } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { describe, expect, test } from "vitest";
import { give } from "./belongings.ts";
import { hold, killWaiting, knownById, type Moving, openMoving, pause } from "./moving.ts";

const moving = setUp(openMoving);

type Tenant = Awaited<ReturnType<Moving["known"]>>;

/** The sign-on service has another id for it from now on; `has`: under which this service has rows, too. */
async function drift(tenant: Tenant, has: boolean): Promise<Tenant> {
	const before = { ...tenant };
	tenant.id = randomUUID();
	moving.bakery.subscriptions.records.set(tenant.id, testSubscription(tenant.id));
	if (has) {
		await knownById(moving.bakery, tenant.id);
		await give(moving.bakery.db, tenant.id, { mark: "new" });
	}
	return before;
}
const left = async ({ id }: Tenant) =>
	Object.entries(await countTenantRows(moving.bakery.db, id)).filter(([, rows]) => rows > 0);

type Between = { tenant: Tenant; before: Tenant; sub: string; letGo: () => Promise<void> };
/**
 * While a tenant that has written `w1` is on its way to another id, somebody known and somebody new write
 * under the old one.
 */
async function expectRefused({ bakery, me, write, written }: Moving, between: Between): Promise<void> {
	const { tenant, before, sub, letGo } = between;
	const writes = [write(before, "w2", { sub }), write(before, "w3"), me(before)];
	await waitForBlockedQueries(bakery.db, { count: 4 });
	await letGo();
	expect(await Promise.all(writes)).toEqual([503, 503, 503]);
	// Until the process is notified of the move it may start one more write under the old id, which is refused.
	const after: number[] = [];
	await expect.poll(async () => after[after.push(await write(before, "w4", { sub })) - 1]).toBe(404);
	expect(after.filter((status) => status !== 503 && status !== 404)).toEqual([]);
	expect(await written(tenant)).toEqual(["w1"]);
}
const kinds = [
	["is not known here yet", false],
	["has rows here, too", true],
] as const;

describe.each(kinds)("a write that meets a tenant whose id changes to one that %s", (_kind, has) => {
	test("is waited for when it began before, and is the tenant's", async () => {
		const tenant = await moving.known();
		const before = await drift(tenant, has);
		const letGo = await hold(
			moving.bakery,
			before.id,
			`insert into service_config (tenant_id, key, value, changed_by, changed_at) values ($1, 'w1', '1', 'x', now())`,
		);
		const healing = moving.me(tenant);
		await waitForBlockedQueries(moving.bakery.db, { like: "%repoint_tenant%" });
		await letGo();
		expect(await healing).toBe(200);
		expect(await moving.written(tenant)).toEqual(["w1"]);
		expect(await left(before)).toEqual([]);
	});

	test("is refused with 503 when it comes in between, and with 404 after, and is nowhere", async () => {
		const { bakery, known, me } = moving;
		const tenant = await known();
		const [sub, before] = [randomUUID(), { ...tenant }];
		for (const _replica of [1, 2]) expect(await moving.write(before, "w1", { sub })).toBe(200);
		await drift(tenant, has);
		const letGo = await hold(bakery, before.id, pause);
		const healing = me(tenant);
		await waitForBlockedQueries(bakery.db, { like: "%repoint_tenant%" });
		await expectRefused(moving, { tenant, before, sub, letGo });
		expect(await healing).toBe(200);
		expect(await left(before)).toEqual([]);
	});

	test("is in time when who moves the tenant is killed half-way: nothing has changed, no table is less guarded, and the next request completes it", async () => {
		const { bakery, known, me, write, written } = moving;
		const tenant = await known();
		const before = await drift(tenant, has);
		const had = [await left(before), await left(tenant)];
		const letGo = await hold(bakery, before.id, pause);
		const healing = me(tenant);
		await waitForBlockedQueries(bakery.db, { like: "%repoint_tenant%" });
		const writing = write(before, "w1");
		await waitForBlockedQueries(bakery.db, { count: 2 });
		await killWaiting(bakery, "%repoint_tenant%");
		expect(await healing).toBe(503);
		expect(await writing).toBe(200);
		await letGo();
		expect(await listUnguardedTables(bakery.db)).toEqual([]);
		expect(await left(tenant)).toEqual(had[1]);
		expect(had[0]?.length).toBeGreaterThan(7);
		for (const [table, rows] of had[0] ?? [])
			expect((await countTenantRows(bakery.db, before.id))[table]).toBeGreaterThanOrEqual(rows);
		expect(await me(tenant)).toBe(200);
		expect(await left(before)).toEqual([]);
		expect(await written(tenant)).toEqual(["w1"]);
		expect(await listUnguardedTables(bakery.db)).toEqual([]);
	});

	test("of many at once, is there as often as it was answered so, and no other", async () => {
		const { known, me, write, written } = moving;
		const tenant = await known();
		const before = await drift(tenant, has);
		const done: string[] = [];
		const answers = new Set<number>();
		let isMoved = false;
		const writing = async (_all: unknown, writer: number) => {
			for (let turn = 0; turn < 20 && !(isMoved && turn > 10); turn += 1) {
				const key = `w${writer}-${turn}`;
				const answer = await write(before, key);
				answers.add(answer);
				if (answer === 200) done.push(key);
			}
		};
		const writers = Array.from({ length: 8 }, writing);
		await expect.poll(() => done.length).toBeGreaterThan(2);
		const healing = Array.from({ length: 4 }, async () => {
			await expect.poll(() => me(tenant)).toBe(200);
			isMoved = true;
		});
		await Promise.all([...writers, ...healing]);
		expect([...answers].filter((status) => ![200, 404, 503].includes(status))).toEqual([]);
		expect(await written(tenant)).toEqual(done.sort());
		expect(await moving.publishedMoves(tenant)).toBe(1);
		expect(await left(before)).toEqual([]);
	});
});

test("with cascading foreign keys a concurrent write is also refused with 503, and leaves no row", async () => {
	const plain = await openMoving({ hasOvens: false });
	try {
		const tenant = await plain.known();
		const [sub, before] = [randomUUID(), { ...tenant }];
		for (const _replica of [1, 2]) expect(await plain.write(before, "w1", { sub })).toBe(200);
		tenant.id = randomUUID();
		const letGo = await hold(plain.bakery, before.id, "select from users where tenant_id = $1 for update");
		const healing = plain.me(tenant);
		await waitForBlockedQueries(plain.bakery.db, { like: "%repoint_tenant%" });
		await expectRefused(plain, { tenant, before, sub, letGo });
		expect(await healing).toBe(200);
	} finally {
		await plain.close();
	}
});

describe("tenants of which each took the next one's slug", () => {
	const steps = 3;
	/** Some that are known, and one more that took the first one's slug. */
	const renamed = async () => {
		const chain = await Promise.all(Array.from({ length: steps }, () => moving.known()));
		const before = chain.map((tenant) => ({ ...tenant }));
		for (const [index, tenant] of chain.entries())
			tenant.slug = before[index + 1]?.slug ?? `t-${randomUUID().slice(0, 8)}`;
		return { chain, before, fresh: moving.sign(before[0]?.slug) };
	};
	const rowsOf = (tenants: readonly Tenant[]) => Promise.all(tenants.map(moving.rowOf));

	test("are followed once by many requests at once, and every write is in the tenant of its token", async () => {
		const { me, write, written, publishedMoves } = moving;
		const { chain, before, fresh } = await renamed();
		const done: Array<{ id: string; key: string }> = [];
		const answers = new Set<number>();
		const writing = async (tenant: Tenant, writer: number) => {
			for (let turn = 0; turn < 6; turn += 1) {
				const key = `w${writer}-${turn}`;
				const answer = await write(tenant, key, turn % 2 === 0 ? {} : { at: tenant.id });
				answers.add(answer);
				if (answer === 200) done.push({ id: tenant.id, key });
			}
		};
		const all = [fresh, ...chain];
		await Promise.all([...all, ...before].map(writing));
		expect([...answers].filter((status) => ![200, 404].includes(status))).toEqual([]);
		expect(await rowsOf(all)).toMatchObject(all.map(({ slug }) => ({ slug, status: "active" })));
		for (const tenant of all) {
			const own = done.filter(({ id }) => id === tenant.id).map(({ key }) => key);
			expect(await written(tenant)).toEqual(own.sort());
			expect(own.length).toBeGreaterThan(0);
			expect([await me(tenant), await publishedMoves(tenant)]).toEqual([200, 0]);
		}
	});

	test("are as before when following them was interrupted half-way, and the next request follows them", async () => {
		const { bakery, me } = moving;
		const { chain, before, fresh } = await renamed();
		const last = before.at(-1)?.id ?? "";
		const letGo = await hold(bakery, last, "select from tenants where id = $1 for update");
		const following = me(fresh);
		await killWaiting(bakery, "%set slug = id::text%");
		expect(await following).toBe(503);
		await letGo();
		expect(await rowsOf([...before, fresh])).toMatchObject([
			...before.map(({ slug }) => ({ slug })),
			undefined,
		]);
		expect(await me(fresh)).toBe(200);
		expect(await rowsOf([...chain, fresh])).toMatchObject([...chain, fresh].map(({ slug }) => ({ slug })));
	});
});
