import { createAccess } from "@lango/access";
import { authUserDeleted, authUserDisabled, authUserUpdated, type EventType } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import { testEvent } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { beforeAll, expect, test } from "vitest";
import { openShop, type Somebody } from "./shop.ts";
import { at, givePin, hire, me, type OpenTill, openTill, signInAt, typePin } from "./till.ts";

const shop = setUp(openShop);
let till: OpenTill;
beforeAll(async () => {
	till = await openTill(shop);
});

/** An event takes effect within a second, on a busy machine later, but before any cache expires. */
const pushed = { timeout: 10_000, interval: 10 };
const statusOf = async (token: string) => (await me(shop, token)).status;

/** A person at the till, and their token there. */
async function atTheTill(): Promise<{ who: Somebody; token: string }> {
	const who = await hire(shop, till);
	const token = await signInAt(shop, till, { who, pin: "2580" });
	expect(await statusOf(token)).toBe(200);
	return { who, token };
}

/** Publishes an event as the sign-on service would. */
const publish = (type: EventType, { sub, tenant }: Somebody, more: object) => {
	const data = { user_id: sub, version: 5, ...more };
	return shop.transport.publish(testEvent(type, { subject: sub, tenant, data }));
};

const updated = (who: Somebody, more: object) =>
	publish(authUserUpdated, who, {
		...{ email: "x@kahawa.example", name: who.name, roles: ["cashier"], status: "active" },
		...{ email_verified: true, is_hq: false, outlet_ids: [], ...more },
	});

test("every replica rejects a token when its till is revoked, and sign-in there fails", async () => {
	const own = await openTill(shop);
	const who = await hire(shop, own);
	const token = await signInAt(shop, own, { who, pin: "2580" });
	const replica = await shop.replica();
	const ask = () => shop.call({ url: at(shop.kahawa, "/auth/me"), token, on: replica });
	expect((await ask()).status).toBe(200);
	const revoked = await shop.call({
		method: "DELETE",
		url: at(shop.kahawa, `/terminals/${own.id}`),
		token: shop.token(own.manager),
	});
	expect(revoked.status).toBe(204);
	expect([(await ask()).status, await statusOf(token)]).toEqual([401, 401]);
	expect((await typePin(shop, own, { who, pin: "2580" })).status).toBe(401);
});

test("a token is rejected after the PIN is changed, even to the same digits, or deleted", async () => {
	const { who, token } = await atTheTill();
	await givePin(shop, till, { who, pin: "2580" });
	expect(await statusOf(token)).toBe(401);
	const next = await signInAt(shop, till, { who, pin: "2580" });
	const taken = await shop.call({
		method: "DELETE",
		url: at(shop.kahawa, `/pins/${who.sub}`),
		token: shop.token(till.manager),
	});
	expect([taken.status, await statusOf(next)]).toEqual([204, 401]);
	await givePin(shop, till, { who, pin: "2580" });
	expect(await statusOf(next)).toBe(401);
});

test.each([
	["is disabled", (who: Somebody) => publish(authUserDisabled, who, {})],
	["is erased", (who: Somebody) => publish(authUserDeleted, who, {})],
	["leaves the tenant", (who: Somebody) => updated(who, { status: "removed" })],
	["loses the role", (who: Somebody) => updated(who, { roles: ["kitchen"] })],
])("a token is rejected at once, before a cache expires, when the person %s", async (_what, happens) => {
	const { who, token } = await atTheTill();
	// An event older than the token that created the person changes nothing.
	shop.later(5);
	await happens(who);
	await expect.poll(() => statusOf(token), pushed).toBe(401);
});

test("a token stays valid when unrelated properties of the person change", async () => {
	const { who, token } = await atTheTill();
	await updated(who, { name: "Juma A. Ali" });
	await expect
		.poll(
			() =>
				inTenant(shop.database.db, shop.kahawa.id, (tx) =>
					tx.query("select name from users where auth_service_user_id = $1", [who.sub]),
				),
			pushed,
		)
		.toEqual([{ name: "Juma A. Ali" }]);
	expect(await statusOf(token)).toBe(200);
});

test("the PIN of an erased person is deleted", async () => {
	const { who } = await atTheTill();
	const pins = () =>
		inTenant(shop.database.db, shop.kahawa.id, (tx) =>
			tx.query(
				"select p.id from pins p join users u using (tenant_id) where u.id = p.user_id and u.auth_service_user_id = $1",
				[who.sub],
			),
		);
	expect(await pins()).toHaveLength(1);
	await publish(authUserDeleted, who, {});
	await expect.poll(pins, pushed).toEqual([]);
});

test("a token is rejected when the role assigned at that outlet is revoked", async () => {
	const who = await hire(shop, till);
	const access = createAccess({
		db: shop.database.db,
		now: shop.now,
		service: "pos",
		firstRole: () => "cashier",
	});
	const outletId = shop.outlet(shop.kahawa).id;
	const assignment = { tenantId: shop.kahawa.id, subject: who.sub, role: "pos_operator", outletId };
	const by = { kind: "user" as const, id: till.manager.sub };
	await access.assignRole(assignment, { by });
	await expect
		.poll(async () => (await typePin(shop, till, { who, pin: "2580" })).body.pos_role, pushed)
		.toBe("pos_operator");
	const token = await signInAt(shop, till, { who, pin: "2580" });
	expect((await me(shop, token)).body).toMatchObject({
		pos_role: "pos_operator",
		permissions: ["pos.outlets.view", "pos.staff.view"],
	});
	await access.revokeRole(assignment, { by });
	await expect.poll(() => statusOf(token), pushed).toBe(401);
});

test("sign-in at a till does not change the person: a later event still applies", async () => {
	const who = await hire(shop, till);
	shop.later(5);
	const publishedUntil = shop.now();
	const token = await signInAt(shop, till, { who, pin: "2580" });
	await me(shop, token);
	const [row] = await inTenant(shop.database.db, shop.kahawa.id, (tx) =>
		tx.query<{ claims_issued_at: Date }>(
			"select claims_issued_at from users where auth_service_user_id = $1",
			[who.sub],
		),
	);
	expect(row?.claims_issued_at.getTime()).toBeLessThan(publishedUntil.getTime());
});
