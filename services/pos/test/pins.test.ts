import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { beforeAll, expect, test } from "vitest";
import { ofHeadquarters, openShop, type Somebody, somebody } from "./shop.ts";
import { at, givePin, hire, meet, type OpenTill, openTill, typePin } from "./till.ts";

const shop = setUp(openShop);
let till: OpenTill;
beforeAll(async () => {
	till = await openTill(shop);
});

const auditOf = (who: Somebody) =>
	inTenant(shop.database.db, shop.kahawa.id, (tx) =>
		tx.query("select action, actor_id, detail from audit_log where subject = $1 order by id", [who.sub]),
	);
const setOwn = (who: Somebody, pin: string, claims = {}) =>
	shop.call({
		method: "PUT",
		url: at(who.tenant, "/pins/own"),
		token: shop.token(who, claims),
		body: { pin },
	});

test("a manager sets a PIN, which is stored as an argon2id hash and not in the audit row", async () => {
	const who = await hire(shop, till, { pin: "80862911" });
	const [row] = await inTenant(shop.database.db, shop.kahawa.id, (tx) =>
		tx.query<{ pin_hash: string }>(
			"select pin_hash from pins join users u using (tenant_id) where u.id = user_id and u.auth_service_user_id = $1",
			[who.sub],
		),
	);
	expect(row?.pin_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
	const detail = { was_set: false, outlet_id: null };
	expect(await auditOf(who)).toEqual([{ action: "pin.set", actor_id: till.manager.sub, detail }]);
});

test("two people can have the same PIN, and each signs in as themselves", async () => {
	const [juma, neema] = [await hire(shop, till), await hire(shop, till)];
	for (const who of [juma, neema])
		expect((await typePin(shop, till, { who, pin: "2580" })).body.user_id).toBe(who.sub);
});

test("a person sets their own PIN; the first PIN of a person bound to an outlet is valid there, and later ones keep the outlet", async () => {
	const who = somebody(shop.kahawa, "cashier");
	const outlet = shop.outlet(shop.kahawa).id;
	const first = await setOwn(who, "1234", { outlet_id: outlet });
	expect([first.status, first.body]).toEqual([200, { user_id: who.sub, outlet_id: outlet }]);
	await givePin(shop, till, { who, pin: "1234", outlet_id: null });
	expect((await setOwn(who, "4321", { outlet_id: outlet })).body).toMatchObject({ outlet_id: null });
	expect((await typePin(shop, till, { who, pin: "4321" })).status).toBe(200);
	expect((await typePin(shop, till, { who, pin: "1234" })).status).toBe(401);
	expect((await auditOf(who)).map(({ actor_id }) => actor_id)).toEqual([who.sub, till.manager.sub, who.sub]);
});

test.each(["123", "123456789", "12a4", "12 34", "١٢٣٤", ""])(
	"%j is rejected as a PIN, and the field is named",
	async (pin) => {
		const answer = await givePin(shop, till, { who: somebody(shop.kahawa, "cashier"), pin });
		expect([answer.status, answer.body.field]).toEqual([400, "pin"]);
	},
);

test("a caller cannot set the PIN of a person with more permissions", async () => {
	const owner = somebody(shop.kahawa, "admin");
	await meet(shop, owner);
	const manager = ofHeadquarters(shop.kahawa, "manager");
	const refused = await givePin(shop, { manager }, { who: owner, pin: "1234" });
	expect([refused.status, refused.body.code]).toEqual([403, "user_holds_more"]);
	const cashier = await hire(shop, till);
	expect((await givePin(shop, { manager }, { who: cashier, pin: "1234" })).status).toBe(200);
	expect((await givePin(shop, { manager: cashier }, { who: manager, pin: "1234" })).status).toBe(403);
});

test("a person of another tenant, an unknown person and an erased person are not found", async () => {
	const theirs = await hire(shop, await openTill(shop, { tenant: shop.uhai }));
	const erased = await hire(shop, till);
	await inTenant(shop.database.db, shop.kahawa.id, (tx) =>
		tx.query("update users set status = 'deleted' where auth_service_user_id = $1", [erased.sub]),
	);
	for (const sub of [theirs.sub, randomUUID(), erased.sub]) {
		const one = { ...somebody(shop.kahawa, "cashier"), sub };
		await expect
			.poll(async () => (await givePin(shop, till, { who: one, pin: "1234" })).body.code)
			.toBe("user_not_found");
	}
});

test("a missing PIN cannot be deleted, and a PIN for an unknown outlet cannot be set", async () => {
	const who = somebody(shop.kahawa, "cashier");
	await meet(shop, who);
	const url = at(shop.kahawa, `/pins/${who.sub}`);
	const gone = await shop.call({ method: "DELETE", url, token: shop.token(till.manager) });
	expect([gone.status, gone.body.code]).toEqual([404, "pin_not_found"]);
	for (const outlet_id of [randomUUID(), shop.outlet(shop.uhai).id]) {
		const answer = await givePin(shop, till, { who, pin: "1234", outlet_id });
		expect([answer.status, answer.body.code, answer.body.field]).toEqual([
			404,
			"outlet_not_found",
			"outlet_id",
		]);
	}
});

test("a manager who is bound to an outlet sets PINs for that outlet", async () => {
	const who = somebody(shop.kahawa, "cashier");
	await meet(shop, who);
	const own = shop.outlet(shop.kahawa, 1).id;
	const token = shop.token(somebody(shop.kahawa, "manager"), { outlet_id: own });
	const put = (body: object) =>
		shop.call({ method: "PUT", url: at(shop.kahawa, `/pins/${who.sub}`), token, body });
	for (const outlet_id of [null, shop.outlet(shop.kahawa).id])
		expect((await put({ pin: "1234", outlet_id })).body.code).toBe("outlet_forbidden");
	expect((await put({ pin: "1234" })).body.outlet_id).toBe(own);
});

test("a client cannot set a PIN of its own", async () => {
	const claims = {
		sub: randomUUID(),
		scope: "pos.pins.change_own",
	};
	const token = shop.issuer.token({ ...claims, client_id: "robot", idtyp: "app" });
	const answer = await shop.call({
		method: "PUT",
		url: at(shop.kahawa, "/pins/own"),
		token,
		body: { pin: "1234" },
	});
	expect(answer.status).toBe(403);
});

test("staff are listed page by page, with has_pin; with X-Outlet-ID only those who may work there", async () => {
	const armed = await hire(shop, till);
	const elsewhere = await hire(shop, till);
	await givePin(shop, till, { who: elsewhere, pin: "2580", outlet_id: shop.outlet(shop.kahawa, 1).id });
	const list = async (path: string, headers = {}) => {
		const url = at(shop.kahawa, `/staff${path}`);
		const { body } = await shop.call({ url, token: shop.token(till.manager), headers });
		return body as { items: Array<{ user_id: string; has_pin: boolean }>; next_cursor: string | null };
	};
	const { items } = await list("?limit=100");
	expect(items.find(({ user_id }) => user_id === armed.sub)).toMatchObject({
		has_pin: true,
		name: "Juma Ali",
	});
	expect(items.find(({ user_id }) => user_id === till.manager.sub)).toMatchObject({ has_pin: false });
	const there = await list("?limit=100", { "x-outlet-id": shop.outlet(shop.kahawa).id });
	const subjects = there.items.map(({ user_id }) => user_id);
	expect([subjects.includes(armed.sub), subjects.includes(elsewhere.sub)]).toEqual([true, false]);
	const first = await list("?limit=1");
	expect((await list(`?limit=1&cursor=${first.next_cursor}`)).items[0]).toEqual(items[1]);
});
