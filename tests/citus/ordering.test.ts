import { randomUUID } from "node:crypto";
import type { PublicTenant } from "@lango/contracts";
import { acrossTenants, inTenant, withOutletScope } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { describe, expect, test } from "vitest";
import { ordering } from "../../services/ordering/src/service.ts";
import { openCafe } from "../../services/ordering/test/cafe.ts";
import { createClusterDatabase, workerCounts } from "./cluster.ts";

describe.for(workerCounts)("ordering on a coordinator and %d workers", (workers) => {
	const cafe = setUp(() => openCafe(() => createClusterDatabase(ordering, workers)));
	type Buyer = { tenant: PublicTenant; token: string; item: string };
	const buyer = async (tenant: PublicTenant): Promise<Buyer> => ({
		tenant,
		token: cafe.token(tenant, "member", { sub: randomUUID() }),
		item: await cafe.item(tenant),
	});
	const order = ({ tenant, token, item }: Buyer, headers = {}) =>
		cafe.call({
			method: "POST",
			url: `/api/v1/${tenant.slug}/orders`,
			token,
			headers,
			body: { lines: [{ item_id: item, quantity: 2 }] },
		});
	const at = ({ tenant, token }: Buyer, path = "") => ({
		url: `/api/v1/${tenant.slug}/orders${path}`,
		token,
	});

	test("an order is placed, listed by its customer, and cancelled", async () => {
		const one = await buyer(cafe.kahawa);
		const placed = await order(one);
		expect(placed).toMatchObject({ status: 201, body: { status: "placed", total_minor: 36_000 } });
		const { id } = placed.body;
		expect((await cafe.call(at(one))).body.items).toMatchObject([{ id }]);
		const cancelled = await cafe.call({ method: "POST", ...at(one, `/${id}/cancel`) });
		expect(cancelled).toMatchObject({ status: 200, body: { status: "cancelled" } });
	});

	test("ten orders at once under one idempotency key are one order", async () => {
		const one = await buyer(cafe.soko);
		const answers = await Promise.all(
			Array.from({ length: 10 }, () => order(one, { "idempotency-key": "once" })),
		);
		expect(new Set(answers.map(({ body }) => body.id ?? body.code))).toEqual(new Set([answers[0]?.body.id]));
		expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
	});

	test("of thirty orders at once the plan's limit of ten admits ten", async () => {
		cafe.limit(cafe.duka, 10);
		const staff = {
			...(await buyer(cafe.duka)),
			token: cafe.token(cafe.duka, "staff", { sub: randomUUID() }),
		};
		const answers = await Promise.all(Array.from({ length: 30 }, () => order(staff)));
		const placed = answers.filter(({ status }) => status === 201).map(({ body }) => body.number);
		expect(placed.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
	});

	test("two hundred orders by twenty people of two tenants at once are numbered without a gap", async () => {
		const placedBefore = async (tenant: PublicTenant) => (await order(await buyer(tenant))).body.number;
		for (const tenant of [cafe.kahawa, cafe.soko]) {
			const first = await placedBefore(tenant);
			const buyers = await Promise.all(Array.from({ length: 10 }, () => buyer(tenant)));
			const numbers = await Promise.all(
				buyers.map(async (one) => {
					const own: number[] = [];
					for (let turn = 0; turn < 10; turn += 1) {
						const placed = await order(one);
						expect(placed.status, JSON.stringify(placed.body)).toBe(201);
						own.push(placed.body.number);
					}
					return own;
				}),
			);
			const sorted = numbers.flat().toSorted((a, b) => a - b);
			expect(sorted).toEqual(Array.from({ length: 100 }, (_, index) => first + 1 + index));
		}
	});

	test("a tenant sees its own orders; without a tenant none are seen; the platform owner sees all", async () => {
		for (const tenant of [cafe.kahawa, cafe.soko]) await order(await buyer(tenant));
		const { db } = cafe.database;
		for (const table of ["orders", "order_lines", "users", "user_role_assignments"]) {
			const tenants = `select distinct tenant_id from ${table}`;
			const own = await inTenant(db, cafe.kahawa.id, (tx) => tx.query(tenants));
			expect(own, table).toEqual([{ tenant_id: cafe.kahawa.id }]);
			expect(await db.query(tenants), table).toEqual([]);
			expect((await acrossTenants(db, (tx) => tx.query(tenants))).length, table).toBeGreaterThan(1);
		}
	});

	test("an order of an outlet is hidden from a transaction of another outlet", async () => {
		const one = await buyer(cafe.kahawa);
		const placed = await order(one, { "x-outlet-id": cafe.counter.id });
		expect(placed).toMatchObject({ status: 201, body: { outlet_id: cafe.counter.id } });
		const seenAt = (outletId: string) =>
			withOutletScope([outletId], () =>
				inTenant(cafe.database.db, cafe.kahawa.id, (tx) =>
					tx.query("select id from orders where id = $1", [placed.body.id]),
				),
			);
		expect(await seenAt(cafe.counter.id)).toEqual([{ id: placed.body.id }]);
		expect(await seenAt(cafe.storeRoom.id)).toEqual([]);
	});

	test("a role of a tenant is created, changed, assigned, listed, revoked and deleted", async () => {
		const { kahawa } = cafe;
		const subject = randomUUID();
		const admin = cafe.token(kahawa, "admin", { sub: randomUUID() });
		const ask = async (method: "GET" | "POST" | "PATCH" | "DELETE", path: string, body?: object) => {
			const url = `/api/v1/kahawa/${path}`;
			const answer = await cafe.call({ method, url, token: admin, ...(body && { body }) });
			expect(answer.status, `${method} ${path} ${JSON.stringify(answer.body)}`).toBeLessThan(300);
			return answer.body;
		};
		const person = { tenant: kahawa, token: cafe.token(kahawa, "member", { sub: subject }) };
		await cafe.call(at({ ...person, item: "" }));
		await ask("POST", "roles", { code: "barista", permissions: ["ordering.orders.view"] });
		await ask("PATCH", "roles/barista", {
			description: "At the bar",
			permissions: ["ordering.orders.change"],
		});
		expect((await ask("GET", "roles")).items).toContainEqual(expect.objectContaining({ code: "barista" }));
		const assigned = await ask("POST", "roles/barista/assignments", { user_id: subject });
		expect((await ask("GET", "roles/barista/assignments?total=true")).items).toMatchObject([
			{ user_id: subject },
		]);
		expect((await ask("GET", "users")).items).toContainEqual(
			expect.objectContaining({ user_id: subject, roles: [expect.objectContaining({ role: "barista" })] }),
		);
		const atCounter = await ask("POST", "roles/barista/assignments", {
			...{ user_id: subject, outlet_id: cafe.counter.id },
		});
		for (const { id } of [assigned, atCounter]) await ask("DELETE", `roles/barista/assignments/${id}`);
		expect((await ask("GET", "roles/barista/assignments")).items).toEqual([]);
		await ask("DELETE", "roles/barista");
		const key = await ask("POST", "api-keys", {
			...{ name: "till", permissions: ["ordering.orders.view"], outlet_ids: [cafe.counter.id] },
		});
		expect((await ask("GET", "api-keys")).items).toMatchObject([{ name: "till" }]);
		await ask("DELETE", `api-keys/${key["id"]}`);
		const recorded = [
			...["role.created", "role.changed", "role.assigned", "role.assigned", "role.revoked", "role.revoked"],
			...["role.deleted", "api_key.created", "api_key.revoked"],
		].toReversed();
		expect((await ask("GET", "audit")).items).toMatchObject(recorded.map((action) => ({ action })));
	});

	test("the platform owner lists the roles, people, keys and audit entries of all tenants", async () => {
		const owner = cafe.token(cafe.lango, "superuser", { sub: randomUUID() });
		for (const tenant of [cafe.kahawa, cafe.soko]) {
			const token = cafe.token(tenant, "admin", { sub: randomUUID() });
			const make = (path: string, body: object) =>
				cafe.call({ method: "POST", url: `/api/v1/${tenant.slug}/${path}`, token, body });
			const permissions = ["ordering.orders.view"];
			expect(await make("roles", { code: "waiter", permissions })).toMatchObject({ status: 201 });
			expect(await make("api-keys", { name: "till", permissions })).toMatchObject({ status: 201 });
		}
		for (const path of ["roles", "users", "api-keys", "audit"]) {
			const { status, body } = await cafe.call({ url: `/api/v1/lango/${path}`, token: owner });
			expect(status, `${path} ${JSON.stringify(body)}`).toBe(200);
			for (const { id } of [cafe.kahawa, cafe.soko])
				expect(body.items, path).toContainEqual(expect.objectContaining({ tenant_id: id }));
		}
	});

	test("a tenant cannot write an order's line of another one", async () => {
		const { id } = (await order(await buyer(cafe.soko))).body;
		const writing = inTenant(cafe.database.db, cafe.kahawa.id, (tx) =>
			tx.query(
				`insert into order_lines (tenant_id, order_id, position, item_id, name, unit_price_minor, quantity)
				 values ($1, $2, 9, $2, 'x', 1, 1)`,
				[cafe.soko.id, id],
			),
		);
		await expect(writing).rejects.toThrow(/row-level security/);
	});
});
