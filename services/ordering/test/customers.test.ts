import { randomUUID } from "node:crypto";
import {
	authUserCreated,
	authUserDeleted,
	authUserLogin,
	authUserUpdated,
	type EventType,
	tenantDeleted,
} from "@lango/contracts";
import { acrossTenants } from "@lango/postgres";
import { testEvent, testTenant } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { beforeAll, expect, test } from "vitest";
import { openCafe } from "./cafe.ts";

const cafe = setUp(openCafe);
let coffee: string;
beforeAll(async () => {
	coffee = await cafe.item(cafe.kahawa);
});

const profiles = (subject: string) =>
	acrossTenants(cafe.database.db, (tx) =>
		tx.query<{ tenant_id: string; name: string; email: string; signed_in_at: Date | null; erased: boolean }>(
			`select tenant_id, name, email, signed_in_at, erased_at is not null as erased
			   from customers where auth_service_user_id = $1`,
			[subject],
		),
	);

type EventData = { tenantId?: string; [member: string]: unknown };

/** Publishes an event of a person as the sign-on service would; without `tenantId`, for all tenants. */
const publish = (type: EventType, subject: string, { tenantId, ...more }: EventData) => {
	const tenant = tenantId !== undefined && { tenant: { id: tenantId, slug: "kahawa" } };
	return cafe.transport.publish(testEvent(type, { subject, data: { user_id: subject, ...more }, ...tenant }));
};

const asha = { email: "asha@kahawa.example", name: "Asha", roles: ["member"], status: "active" };
const signIn = { ...asha, client_id: "cafe-website", at: "2026-03-01T08:00:00.000Z" };
const order = (sub: string) =>
	cafe.call({
		method: "POST",
		url: "/api/v1/kahawa/orders",
		token: cafe.token(cafe.kahawa, "member", { sub, name: "Asha", email: asha.email }),
		body: { lines: [{ item_id: coffee }] },
	});

test("a new user gets a profile, and a sign-in is recorded on it", async () => {
	const id = randomUUID();
	await publish(authUserCreated, id, { ...asha, tenantId: cafe.kahawa.id });
	await expect
		.poll(() => profiles(id))
		.toEqual([
			{ tenant_id: cafe.kahawa.id, name: "Asha", email: asha.email, signed_in_at: null, erased: false },
		]);
	await publish(authUserLogin, id, { ...signIn, tenantId: cafe.kahawa.id });
	await expect.poll(() => profiles(id)).toMatchObject([{ signed_in_at: new Date(signIn.at) }]);
});

test("a sign-in creates a missing profile, also before the event of its tenant", async () => {
	const [id, tenantId] = [randomUUID(), randomUUID()];
	await publish(authUserLogin, id, { ...signIn, tenantId });
	await expect.poll(() => profiles(id)).toMatchObject([{ tenant_id: tenantId, name: "Asha" }]);
});

test("an order creates a missing profile once, and belongs to it", async () => {
	const id = randomUUID();
	const [first, second] = [await order(id), await order(id)];
	expect([first.status, second.status]).toEqual([201, 201]);
	expect(await profiles(id)).toMatchObject([{ name: "Asha", email: asha.email }]);
	const owners = await acrossTenants(cafe.database.db, (tx) =>
		tx.query(
			"select distinct c.auth_service_user_id as id from orders o join customers c using (tenant_id) where c.id = o.customer_id and o.placed_by = $1",
			[id],
		),
	);
	expect(owners).toEqual([{ id }]);
});

test("a profile follows its person, and is emptied permanently when they are erased", async () => {
	const id = randomUUID();
	await publish(authUserCreated, id, { ...asha, tenantId: cafe.kahawa.id });
	const update = { ...asha, email_verified: true, is_hq: false, outlet_ids: [], version: 2 };
	await publish(authUserUpdated, id, { ...update, name: "Asha Wanjiru", tenantId: cafe.kahawa.id });
	await expect.poll(() => profiles(id)).toMatchObject([{ name: "Asha Wanjiru" }]);
	await order(id);
	await publish(authUserDeleted, id, { version: 3 });
	const empty = [{ tenant_id: cafe.kahawa.id, name: "", email: "", signed_in_at: null, erased: true }];
	await expect.poll(() => profiles(id)).toEqual(empty);
	await publish(authUserLogin, id, { ...signIn, tenantId: cafe.kahawa.id });
	const later = randomUUID();
	await publish(authUserCreated, later, { ...asha, tenantId: cafe.kahawa.id });
	await expect.poll(() => profiles(later)).toHaveLength(1);
	await expect.poll(() => profiles(id)).toEqual(empty);
});

test("menu, orders, profiles and counts of a deleted tenant are deleted", async () => {
	const tenant = testTenant("closing");
	cafe.issuer.tenants.push(tenant);
	cafe.limit(tenant, -1);
	const item = await cafe.item(tenant);
	const placed = await cafe.call({
		method: "POST",
		url: "/api/v1/closing/orders",
		token: cafe.token(tenant, "member"),
		body: { lines: [{ item_id: item }] },
	});
	expect(placed.status).toBe(201);
	const left = async () => {
		const [row] = await acrossTenants(cafe.database.db, (tx) =>
			tx.query<{ count: number }>(
				`select ((select count(*) from catalog_items where tenant_id = $1) + (select count(*) from orders where tenant_id = $1)
				       + (select count(*) from order_lines where tenant_id = $1) + (select count(*) from customers where tenant_id = $1)
				       + (select count(*) from order_days where tenant_id = $1))::int as count`,
				[tenant.id],
			),
		);
		return row?.count;
	};
	expect(await left()).toBe(5);
	const { id, slug } = tenant;
	const data = { tenant_id: id, slug, version: 9 };
	await cafe.transport.publish(testEvent(tenantDeleted, { subject: id, tenant: { id }, data }));
	await expect.poll(left).toBe(0);
});
