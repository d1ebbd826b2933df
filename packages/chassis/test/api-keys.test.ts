import { setUp } from "@lango/testkit/set-up";
import { beforeAll, describe, expect, test } from "vitest";
import { openFloor } from "./shop-floor.ts";

const floor = setUp(openFloor);
let admin: string;
beforeAll(async () => {
	admin = (await floor.meet("admin")).token;
});

type Key = { id: string; key: string; permissions: string[] };
const make = (body: object, token = admin, at = floor.tenants.uhai) =>
	floor.ask("POST", "/api-keys", { token, body: { name: "till", permissions: [], ...body }, at });
const owner = () => floor.token(floor.tenants.lango, "superuser");

test("a key is shown once, opens what it may, is listed without its secret, and is refused once revoked", async () => {
	const { status, body } = await make({ permissions: ["bakery.loaves.view"] });
	expect(status).toBe(201);
	const { id, key } = body as Key;
	expect(key).toMatch(/^lk_[A-Za-z0-9]{16}_[\w-]{40,}$/);
	const headers = { "x-api-key": key };
	expect((await floor.ask("GET", "/loaves", { headers })).status).toBe(200);
	expect((await floor.ask("POST", "/loaves", { headers })).status).toBe(403);
	const at = floor.tenants.kahawa;
	expect((await floor.ask("GET", "/loaves", { headers, at })).status).toBe(404);
	const { items } = (await floor.ask("GET", "/api-keys", { token: admin })).body as { items: Key[] };
	const listed = items.find((one) => one.id === id);
	expect(listed).toMatchObject({ name: "till", permissions: ["bakery.loaves.view"], revoked_at: null });
	expect(JSON.stringify(items)).not.toContain(key.split("_").slice(2).join("_"));
	for (const _again of [1, 2])
		expect((await floor.ask("DELETE", `/api-keys/${id}`, { token: admin })).status).toBe(204);
	expect(await floor.ask("GET", "/loaves", { headers })).toMatchObject({
		status: 401,
		body: { code: "api_key_invalid" },
	});
	const actions = (await floor.ask("GET", "/audit?limit=2", { token: admin })).body.items;
	expect(actions).toMatchObject([
		{ action: "api_key.revoked", subject: id },
		{ action: "api_key.created", subject: id, detail: { permissions: ["bakery.loaves.view"] } },
	]);
});

test("a tenant's key meets the gate of its subscription, the platform's key passes it in every tenant", async () => {
	const { duka, lango } = floor.tenants;
	const permissions = ["bakery.loaves.change"];
	const own = (await make({ permissions }, owner(), duka)).body as Key;
	expect(await floor.ask("POST", "/loaves", { headers: { "x-api-key": own.key }, at: duka })).toMatchObject({
		status: 403,
		body: { code: "subscription_inactive", upgrade: true },
	});
	const url = `/api/v1/lango/bakery/api-keys?tenantId=${lango.id}`;
	const body = { name: "services", permissions, all_tenants: true };
	const answer = await floor.call({ method: "POST", url, token: owner(), body });
	expect(answer).toMatchObject({ status: 201, body: { tenant_id: null } });
	const { id, key } = answer.body as Key;
	const headers = { "x-api-key": key };
	for (const at of [duka, floor.tenants.uhai])
		expect((await floor.ask("POST", "/loaves", { headers, at })).status).toBe(200);
	const address = `/api/v1/lango/bakery/api-keys/${id}?tenantId=${lango.id}`;
	expect((await floor.call({ method: "DELETE", url: address, token: owner() })).status).toBe(204);
	expect((await floor.ask("GET", "/loaves", { headers })).status).toBe(401);
});

describe("a key is refused", () => {
	test("with more permissions than its maker has, of the service or of the token", async () => {
		const person = await floor.meet("member");
		const role = { code: "locksmith", permissions: ["bakery.api_keys.manage", "bakery.loaves.view"] };
		await floor.ask("POST", "/roles", { token: admin, body: role });
		await floor.ask("POST", "/roles/locksmith/assignments", { token: admin, body: { user_id: person.id } });
		const more = ["bakery.loaves.view", "bakery.loaves.change", "catalog:manage"];
		expect(await make({ permissions: more }, person.token)).toMatchObject({
			status: 403,
			body: { code: "exceeds_own_rights", missing: ["bakery.loaves.change", "catalog:manage"] },
		});
		expect(await make({ permissions: ["catalog:view"] }, person.token)).toMatchObject({ status: 201 });
		const { key } = (await make({ permissions: role.permissions }, person.token)).body as Key;
		const headers = { "x-api-key": key };
		const body = { name: "next", permissions: ["bakery.loaves.change"] };
		expect(await floor.ask("POST", "/api-keys", { headers, body })).toMatchObject({ status: 403 });
	});

	test("for all tenants, to everybody but the platform's owner under the platform's own name", async () => {
		const refused = { status: 403, body: { code: "forbidden", field: "all_tenants" } };
		expect(await make({ all_tenants: true })).toMatchObject(refused);
		expect(await make({ all_tenants: true }, owner())).toMatchObject(refused);
	});

	test("with an end that has passed, an undeclared permission, or no name", async () => {
		const refused = (field: string) => ({ status: 400, body: { field } });
		expect(await make({ expires_at: "2020-01-01T00:00:00Z" })).toMatchObject(refused("expires_at"));
		expect(await make({ permissions: ["bakery.cakes.view"] })).toMatchObject(refused("permissions.0"));
		expect(await make({ name: "" })).toMatchObject(refused("name"));
	});

	test("to revoke a key that does not exist", async () => {
		for (const id of ["abcdefgh12345678", "-"])
			expect(await floor.ask("DELETE", `/api-keys/${id}`, { token: admin })).toMatchObject({
				status: 404,
				body: { field: "id" },
			});
	});

	test("when the tenant has a hundred in force", async () => {
		const at = floor.tenants.kahawa;
		const token = floor.token(at, "admin");
		for (let made = 0; made < 100; made += 1) expect((await make({}, token, at)).status).toBe(201);
		expect(await make({}, token, at)).toMatchObject({ status: 409, body: { code: "api_keys_full" } });
		const first = await floor.ask("GET", "/api-keys?limit=60", { token, at });
		const next = await floor.ask("GET", `/api-keys?limit=60&cursor=${first.body.next_cursor}`, { token, at });
		const ids = [first, next].flatMap(({ body }) => (body.items as Key[]).map(({ id }) => id));
		expect(new Set(ids).size).toBe(100);
		expect(next.body.next_cursor).toBeNull();
	});
});
