import { randomUUID } from "node:crypto";
import { acrossTenants, inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { hashSecret } from "@lango/tokens";
import { beforeAll, expect, test } from "vitest";
import { openShop, somebody } from "./shop.ts";
import { at, hire, type OpenTill, openTill, signInAt } from "./till.ts";

const shop = setUp(openShop);
let till: OpenTill;
beforeAll(async () => {
	till = await openTill(shop);
});

const list = (token: string, { path = "", headers = {}, tenant = shop.kahawa } = {}) =>
	shop.call({ url: at(tenant, `/terminals${path}`), token, headers });
const add = (token: string, body: object, tenant = shop.kahawa) =>
	shop.call({ method: "POST", url: at(tenant, "/terminals"), token, body });
const revoke = (token: string, id: string, tenant = shop.kahawa) =>
	shop.call({ method: "DELETE", url: at(tenant, `/terminals/${id}`), token });

const auditOf = (subject: string) =>
	inTenant(shop.database.db, shop.kahawa.id, (tx) =>
		tx.query("select action, actor_id, detail from audit_log where subject = $1 order by id", [subject]),
	);

test("a till token is returned once and stored only as a hash", async () => {
	const { id, token, manager } = await openTill(shop);
	expect(token).toMatch(/^pt_[\w-]{43}$/);
	const rows = await inTenant(shop.database.db, shop.kahawa.id, (tx) =>
		tx.query<{ token_hash: Buffer }>("select * from terminals where id = $1", [id]),
	);
	expect(rows[0]?.token_hash.equals(hashSecret(token))).toBe(true);
	expect(JSON.stringify(rows)).not.toContain(token);
	const { body } = await list(shop.token(manager));
	expect(JSON.stringify(body)).toContain(id);
	expect(JSON.stringify(body)).not.toContain(token);
});

test("adding and revoking a till are audited, and revoking again is not", async () => {
	const { id, manager } = await openTill(shop);
	for (let n = 0; n < 2; n += 1) expect((await revoke(shop.token(manager), id)).status).toBe(204);
	const detail = { name: "Till 1" };
	expect(await auditOf(id)).toEqual([
		{
			action: "terminal.added",
			actor_id: manager.sub,
			detail: { ...detail, outlet_id: shop.outlet(shop.kahawa).id },
		},
		{ action: "terminal.revoked", actor_id: manager.sub, detail },
	]);
});

test("tills are listed page by page with revoked_at, with X-Outlet-ID only those of the outlet", async () => {
	const token = shop.token(till.manager);
	const side = await openTill(shop, { place: 1 });
	await revoke(token, side.id);
	const first = await list(token, { path: "?limit=1" });
	const second = await list(token, { path: `?limit=1&cursor=${first.body.next_cursor}` });
	const items = [first, second].flatMap(({ body }) => body.items as Array<{ id: string }>);
	expect(new Set(items.map(({ id }) => id)).size).toBe(2);
	const outlet = shop.outlet(shop.kahawa, 1).id;
	const there = await list(token, { headers: { "x-outlet-id": outlet } });
	expect(there.body).toMatchObject({
		items: [{ id: side.id, outlet_id: outlet, tenant_id: shop.kahawa.id, revoked_at: expect.any(String) }],
		next_cursor: null,
	});
});

test.each([
	["an unknown outlet", () => randomUUID()],
	["another tenant's outlet", () => shop.outlet(shop.uhai).id],
])("a till at %s is refused as not found, and the field is named", async (_what, outletId) => {
	const { status, body } = await add(shop.token(till.manager), { outlet_id: outletId(), name: "Till" });
	expect([status, body.code, body.field]).toEqual([404, "outlet_not_found", "outlet_id"]);
});

test.each([
	["outlet_id", { outlet_id: "MAIN", name: "Till" }],
	["name", { outlet_id: randomUUID(), name: "  " }],
	["colour", { outlet_id: randomUUID(), name: "Till", colour: "red" }],
])("a till whose %s is wrong is refused and the field is named", async (field, body) => {
	const answer = await add(shop.token(till.manager), body);
	expect([answer.status, answer.body.field]).toEqual([400, field]);
});

test("a till of another tenant, or outside of the caller's outlets, is not found", async () => {
	const other = somebody(shop.uhai, "admin");
	expect((await revoke(shop.token(other), till.id, shop.uhai)).body.code).toBe("terminal_not_found");
	const bound = shop.token(somebody(shop.kahawa, "manager"), { outlet_id: shop.outlet(shop.kahawa, 1).id });
	expect((await revoke(bound, till.id)).body.code).toBe("terminal_not_found");
	const elsewhere = await add(bound, { outlet_id: shop.outlet(shop.kahawa).id, name: "Till" });
	expect([elsewhere.status, elsewhere.body.code]).toEqual([403, "outlet_forbidden"]);
	const there = await add(bound, { outlet_id: shop.outlet(shop.kahawa, 1).id, name: "Till" });
	expect(there.status).toBe(201);
});

test("a tenant has at most 500 tills that are not revoked", async () => {
	const admin = somebody(shop.uhai, "admin");
	await openTill(shop, { tenant: shop.uhai });
	await inTenant(shop.database.db, shop.uhai.id, (tx) =>
		tx.query(
			`insert into terminals (tenant_id, outlet_id, name, token_hash, created_by, created_at)
			 select $1, $2, 'Till', sha256(n::text::bytea), 'test', now() from generate_series(1, 499) n
			 on conflict do nothing`,
			[shop.uhai.id, shop.outlet(shop.uhai).id],
		),
	);
	const one = { outlet_id: shop.outlet(shop.uhai).id, name: "Till" };
	const full = await add(shop.token(admin), one, shop.uhai);
	expect([full.status, full.body.code]).toEqual([409, "terminals_full"]);
	const { body } = await list(shop.token(admin), { tenant: shop.uhai, path: "?limit=1" });
	await revoke(shop.token(admin), (body.items as [{ id: string }])[0].id, shop.uhai);
	expect((await add(shop.token(admin), one, shop.uhai)).status).toBe(201);
});

test("the platform owner lists tills, outlets and people of all tenants, and names a tenant to add a till", async () => {
	const root = shop.token(somebody(shop.lango, "superuser"));
	for (const path of ["/terminals", "/outlets", "/staff"]) {
		const tenants = new Set<string>();
		let cursor = "";
		do {
			const url = at(shop.lango, `${path}?limit=100${cursor}`);
			const { status, body } = await shop.call({ url, token: root });
			expect([path, status]).toEqual([path, 200]);
			for (const { tenant_id } of body.items as Array<{ tenant_id: string }>) tenants.add(tenant_id);
			cursor = body.next_cursor === null ? "" : `&cursor=${body.next_cursor}`;
		} while (cursor !== "");
		expect([path, tenants.size > 1]).toEqual([path, true]);
	}
	const made = { outlet_id: shop.outlet(shop.kahawa).id, name: "Till" };
	expect((await add(root, made, shop.lango)).body.code).toBe("tenant_required");
	const named = { method: "POST" as const, url: at(shop.lango, `/terminals?tenantId=${shop.kahawa.id}`) };
	expect((await shop.call({ ...named, token: root, body: made })).status).toBe(201);
});

test("the cross-tenant reader cannot see the hash of a till or a PIN", async () => {
	const { db } = shop.database;
	for (const [column, table] of [
		["token_hash", "terminals"],
		["pin_hash", "pins"],
		["sealed", "signing_keys"],
	])
		await expect(acrossTenants(db, (tx) => tx.query(`select ${column} from ${table}`))).rejects.toThrow(
			/permission denied/,
		);
});

const profile = (headers: Record<string, string>, path = "") =>
	shop.call({ url: `/kahawa/pos/auth/pin/profile${path}`, headers });

test("a till lists the people of its outlet with a PIN, with only the fields needed to choose one", async () => {
	const own = await openTill(shop, { place: 1 });
	const outlet_id = shop.outlet(shop.kahawa).id;
	const [here, elsewhere] = [await hire(shop, own, { role: "waiter" }), await hire(shop, own)];
	await shop.call({
		method: "PUT",
		url: at(shop.kahawa, `/pins/${elsewhere.sub}`),
		token: shop.token(own.manager),
		body: { pin: "2580", outlet_id },
	});
	for (const base of ["/kahawa/pos", "/api/v1/kahawa/pos"]) {
		const { status, body } = await shop.call({
			url: `${base}/auth/pin/profile`,
			headers: { "x-terminal-token": own.token },
		});
		expect([status, body.next_cursor]).toEqual([200, null]);
		expect(body.items).toEqual([{ user_id: here.sub, name: "Juma Ali", initials: "JA", role: "waiter" }]);
	}
});

test("people are listed page by page", async () => {
	const headers = { "x-terminal-token": till.token };
	await hire(shop, till);
	await hire(shop, till);
	const all = (await profile(headers)).body.items as unknown[];
	const first = await profile(headers, "?limit=1");
	const rest = await profile(headers, `?cursor=${first.body.next_cursor}`);
	expect([...(first.body.items as unknown[]), ...(rest.body.items as unknown[])]).toEqual(all);
	expect(all.length).toBeGreaterThan(1);
});

test("without a till token of that tenant people are not listed", async () => {
	const gone = await openTill(shop);
	await revoke(shop.token(gone.manager), gone.id);
	const person = await signInAt(shop, till, { who: await hire(shop, till), pin: "2580" });
	const refused = [
		await profile({}),
		await profile({ "x-terminal-token": "pt_nothing" }),
		await profile({ "x-terminal-token": gone.token }),
		await profile({ authorization: `Bearer ${person}` }),
		await shop.call({ url: "/uhai/pos/auth/pin/profile", headers: { "x-terminal-token": till.token } }),
	];
	expect(refused.map(({ status, body }) => `${status} ${body.code}`)).toEqual(
		Array(5).fill("401 terminal_invalid"),
	);
	expect(refused[0]?.headers["www-authenticate"]).toBe('Terminal realm="pos"');
});

test("a browser at a till can send its token from the origin of a front end", async () => {
	const { status, headers } = await shop.call({
		method: "OPTIONS",
		url: "/kahawa/pos/auth/pin/profile",
		headers: {
			origin: "http://localhost:3001",
			"access-control-request-method": "GET",
			"access-control-request-headers": "x-terminal-token",
		},
	});
	expect([status, headers["access-control-allow-headers"]]).toEqual([
		204,
		expect.stringContaining("X-Terminal-Token"),
	]);
});
