import { randomUUID } from "node:crypto";
import { authUserDeleted, type PublicTenant } from "@lango/contracts";
import { acrossTenants } from "@lango/postgres";
import { countTenantRows, fillAccess, repointTenant, testEvent, testTenant } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { describe, expect, test } from "vitest";
import { openCafe } from "./cafe.ts";

const cafe = setUp(openCafe);

const rows = <R extends Record<string, unknown>>(text: string, tenant: string) =>
	acrossTenants(cafe.database.db, (tx) => tx.query<R>(text, [tenant]));
const count = (tenant: PublicTenant) => countTenantRows(cafe.database.db, tenant.id);
const repoint = (from: PublicTenant, to: string) =>
	repointTenant(cafe.database.db, { slug: from.slug, from: from.id, to });

type Content = { subject: string; key: string; price: number; at: string };

/** A tenant with rows in every table: a coffee, and two orders of it by one person, the second with a key. */
async function filled({ subject, key, price, at }: Content): Promise<PublicTenant> {
	cafe.clock.now = new Date(at);
	const issued = { iat: cafe.clock.now.getTime() / 1_000, exp: cafe.clock.now.getTime() / 1_000 + 3_600 };
	const tenant = testTenant(`t-${randomUUID().slice(0, 8)}`);
	cafe.issuer.tenants.push(tenant);
	cafe.issuer.outlets.set(tenant.slug, [{ ...cafe.counter, id: randomUUID() }]);
	cafe.limit(tenant, -1);
	const sending =
		(token: string, headers: Record<string, string> = {}) =>
		async (method: "PUT" | "POST", path: string, body: object) => {
			const url = `/api/v1/${tenant.slug}/${path}`;
			const answer = await cafe.call({ method, url, token, body, headers });
			if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
			return answer.body;
		};
	const asAdmin = sending(cafe.token(tenant, "admin", issued));
	const customer = cafe.token(tenant, "member", { ...issued, sub: subject });
	const coffee = { category: "Coffee", name: "Espresso", price_minor: price };
	const lines = [{ item_id: (await asAdmin("POST", "catalog/items", coffee)).id }];
	for (const headers of [{}, { "idempotency-key": key }])
		await sending(customer, headers)("POST", "orders", { lines });
	await fillAccess(asAdmin, { subject, permission: "ordering.roles.view" });
	return tenant;
}

const person = () => ({ subject: randomUUID(), key: randomUUID(), price: 100, at: "2027-05-01T08:00:00Z" });

test("a tenant that arrives with another id keeps its rows of every table under that id", async () => {
	const tenant = await filled(person());
	const had = await count(tenant);
	expect(Object.entries(had).filter(([, many]) => many === 0)).toEqual([]);
	const to = randomUUID();
	expect(await repoint(tenant, to)).toEqual([]);
	expect(Object.values(await count(tenant)).every((many) => many === 0)).toBe(true);
	expect(await countTenantRows(cafe.database.db, to)).toEqual(had);
});

describe("a tenant that has rows under both ids", () => {
	test("keeps every order and line, continues the numbers, and adds the day's counts", async () => {
		const [from, to] = [await filled(person()), await filled(person())];
		const [one, other] = [await count(from), await count(to)];
		for (const table of ["orders", "order_lines", "customers"])
			expect([one[table] ?? 0, other[table]]).not.toContain(0);
		await repoint(from, to.id);
		expect(Object.values(await count(from)).every((many) => many === 0)).toBe(true);
		const after = await count(to);
		expect([after.orders, after.order_lines, after.customers]).toEqual([4, 4, 2]);
		expect(await rows("select number from orders where tenant_id = $1 order by number", to.id)).toEqual(
			[1, 2, 3, 4].map((number) => ({ number })),
		);
		expect(await rows("select ordered_on::text, orders from order_days where tenant_id = $1", to.id)).toEqual(
			[{ ordered_on: "2027-05-01", orders: 4 }],
		);
	});

	test("keeps the count of a day that only one of the two has", async () => {
		const from = await filled({ ...person(), at: "2027-05-02T08:00:00Z" });
		const to = await filled(person());
		await repoint(from, to.id);
		const days = "select ordered_on::text as day, orders from order_days where tenant_id = $1 order by 1";
		expect(await rows(days, to.id)).toEqual([
			{ day: "2027-05-01", orders: 2 },
			{ day: "2027-05-02", orders: 2 },
		]);
	});

	test("keeps the later version of an item that both have, and all lines refer to it", async () => {
		const from = await filled({ ...person(), price: 200, at: "2027-05-01T09:00:00Z" });
		const to = await filled({ ...person(), price: 100 });
		const yielded = await repoint(from, to.id);
		expect(yielded.filter(({ from_table }) => from_table === "catalog_items")).toHaveLength(1);
		expect(
			await rows(
				`select i.price_minor::int as price, count(*)::int as lines
				   from catalog_items i join order_lines l on l.item_id = i.id where i.tenant_id = $1 group by i.tenant_id, i.id`,
				to.id,
			),
		).toEqual([{ price: 200, lines: 4 }]);
	});

	test("keeps both of two orders of a person with the same key, and the key on the later one", async () => {
		const same = person();
		const from = await filled({ ...same, at: "2027-05-01T09:00:00Z" });
		const to = await filled(same);
		await repoint(from, to.id);
		const keyed = "select number from orders where tenant_id = $1 and idempotency_key is not null";
		expect([(await count(to)).orders, await rows(keyed, to.id)]).toEqual([4, [{ number: 4 }]]);
	});

	test("merges the profiles of a person with all orders and the later sign-in; an erased profile stays erased", async () => {
		const [kept, gone] = [person(), person()];
		const [from, to] = [await filled(kept), await filled(kept)];
		const profile = "select name, erased_at is not null as erased from customers where tenant_id = $1";
		await repoint(from, to.id);
		expect(await rows(profile, to.id)).toEqual([{ name: "member", erased: false }]);
		expect(await rows("select distinct customer_id from orders where tenant_id = $1", to.id)).toHaveLength(1);

		const old = await filled(gone);
		const data = { user_id: gone.subject, version: 2 };
		await cafe.transport.publish(testEvent(authUserDeleted, { subject: gone.subject, data }));
		await expect.poll(() => rows(profile, old.id)).toEqual([{ name: "", erased: true }]);
		const again = await filled({ ...gone, at: "2027-05-01T10:00:00Z" });
		await repoint(old, again.id);
		expect(await rows(profile, again.id)).toEqual([{ name: "", erased: true }]);
		expect((await count(again)).orders).toBe(4);
	});
});
