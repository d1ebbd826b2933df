import { randomUUID } from "node:crypto";
import { setUp } from "@lango/testkit/set-up";
import { beforeAll, describe, expect, test } from "vitest";
import { openFloor } from "./shop-floor.ts";

const floor = setUp(openFloor);
let admin: { id: string; token: string };
let outletId: string;
beforeAll(async () => {
	admin = await floor.meet("admin");
	outletId = floor.outletOf(floor.tenants.uhai);
});

/** A person who holds little and is bound to no outlet. */
const headquarters = () => floor.meet("member", floor.tenants.uhai, { is_hq_user: true });
type As = { token: string; headers?: Record<string, string> };
const assign = (role: string, body: object, by: As = admin) =>
	floor.ask("POST", `/roles/${role}/assignments`, { ...by, body });
const events = () =>
	floor.database.db.query<{ envelope: { type: string; subject: string } }>(
		"select envelope from outbox order by position",
	);

describe("a role is assigned", () => {
	test("in the whole tenant, counts at once, is listed, and its end gives the first role back", async () => {
		const person = await floor.meet("member");
		expect((await floor.ask("GET", "/loaves", person)).status).toBe(403);
		const { status, body } = await assign("seller", { user_id: person.id });
		expect({ status, body }).toMatchObject({
			status: 201,
			body: { role: "seller", user_id: person.id, outlet_id: null, assigned_by: admin.id, expires_at: null },
		});
		expect((await floor.ask("GET", "/loaves", person)).status).toBe(200);
		const listed = await floor.ask("GET", `/roles/seller/assignments?user_id=${person.id}`, admin);
		expect(listed.body).toEqual({ items: [body], next_cursor: null });
		expect((await floor.ask("DELETE", `/roles/seller/assignments/${body.id}`, admin)).status).toBe(204);
		expect((await floor.ask("GET", "/loaves", person)).status).toBe(403);
		const first = await floor.ask("GET", `/roles/guest/assignments?user_id=${person.id}`, admin);
		expect(first.body.items).toMatchObject([{ assigned_by: null }]);
		expect((await floor.ask("DELETE", `/roles/seller/assignments/${body.id}`, admin)).status).toBe(404);
	});

	test("at one outlet counts there alone", async () => {
		const person = await floor.meet("member");
		expect(await assign("seller", { user_id: person.id, outlet_id: outletId })).toMatchObject({
			status: 201,
		});
		expect((await floor.ask("GET", "/loaves", person)).status).toBe(403);
		const headers = { "x-outlet-id": outletId };
		expect((await floor.ask("GET", "/loaves", { ...person, headers })).status).toBe(200);
	});

	test("until a time to come, which assigning it again changes", async () => {
		const person = await floor.meet("member");
		const expires_at = new Date(Date.now() + 60_000).toISOString();
		const first = await assign("seller", { user_id: person.id, expires_at });
		expect(first.body.expires_at).toBe(expires_at);
		const again = await assign("seller", { user_id: person.id });
		expect(again.body).toMatchObject({ id: first.body.id, expires_at: null });
		const past = new Date(Date.now() - 1_000).toISOString();
		expect(await assign("seller", { user_id: person.id, expires_at: past })).toMatchObject({
			status: 400,
			body: { field: "expires_at" },
		});
	});

	test("and each change is an audit row and an event with a version of its own", async () => {
		const person = await floor.meet("member");
		const { body } = await assign("seller", { user_id: person.id });
		await floor.ask("DELETE", `/roles/seller/assignments/${body.id}`, admin);
		const published = (await events())
			.map(({ envelope }) => envelope)
			.filter(({ subject }) => subject === person.id);
		expect(published).toMatchObject([
			{
				type: "bakery.access.changed",
				tenantslug: "uhai",
				data: { version: 1, roles: [{ role: "seller" }] },
			},
			{ type: "bakery.access.changed", tenantslug: "uhai", data: { version: 2, roles: [{ role: "guest" }] } },
		]);
		const { items } = (await floor.ask("GET", "/audit?limit=2", admin)).body;
		expect(items).toMatchObject([
			{ action: "role.revoked", subject: person.id, actor_id: admin.id, actor_kind: "user" },
			{ action: "role.assigned", subject: person.id, detail: { role: "seller", outletId: null } },
		]);
	});
});

describe("an assignment is refused", () => {
	test("with 404 for a role, a person or an outlet that is not there, or is another tenant's", async () => {
		const [person, other] = [await floor.meet("member"), await floor.meet("member", floor.tenants.kahawa)];
		const foreignOutlet = floor.outletOf(floor.tenants.kahawa);
		const missing = (field: string) => ({ status: 404, body: { code: "not_found", field } });
		expect(await assign("unknown", { user_id: person.id })).toMatchObject(missing("code"));
		expect(await assign("seller", { user_id: randomUUID() })).toMatchObject(missing("user_id"));
		expect(await assign("seller", { user_id: other.id })).toMatchObject(missing("user_id"));
		for (const outlet_id of [randomUUID(), foreignOutlet])
			expect(await assign("seller", { user_id: person.id, outlet_id })).toMatchObject(missing("outlet_id"));
	});

	test("with 409 when the first role is to be taken back", async () => {
		const person = await floor.meet("member");
		const { body } = await floor.ask("GET", `/roles/guest/assignments?user_id=${person.id}`, admin);
		const [{ id = "" } = {}] = body.items as { id?: string }[];
		expect(await floor.ask("DELETE", `/roles/guest/assignments/${id}`, admin)).toMatchObject({
			status: 409,
			body: { code: "first_role" },
		});
	});

	test("with 403 when the role grants, or the person would lose, more than the caller may do", async () => {
		const [keeper, strong, person] = [
			await headquarters(),
			await floor.meet("admin"),
			await floor.meet("member"),
		];
		const body = { code: "keeper", permissions: ["bakery.roles.manage", "bakery.loaves.view"] };
		await floor.ask("POST", "/roles", { ...admin, body });
		await assign("keeper", { user_id: keeper.id });
		const exceeds = { status: 403, body: { code: "exceeds_own_rights" } };
		expect(await assign("baker", { user_id: person.id }, keeper)).toMatchObject(exceeds);
		expect(await assign("baker", { user_id: keeper.id }, keeper)).toMatchObject(exceeds);
		expect(await assign("guest", { user_id: strong.id }, keeper)).toMatchObject(exceeds);
		expect(await assign("keeper", { user_id: person.id }, keeper)).toMatchObject({ status: 201 });
		const assigned = await assign("baker", { user_id: person.id });
		const address = `/roles/baker/assignments/${assigned.body.id}`;
		expect(await floor.ask("DELETE", address, keeper)).toMatchObject(exceeds);
	});

	test("with 403 when a role or a key would outlast the rights of the caller", async () => {
		const [keeper, person] = [await headquarters(), await floor.meet("member")];
		const expires_at = new Date(Date.now() + 3_600_000).toISOString();
		await assign("baker", { user_id: keeper.id, expires_at });
		const exceeds = { status: 403, body: { code: "exceeds_own_rights" } };
		expect(await assign("baker", { user_id: keeper.id }, keeper)).toMatchObject(exceeds);
		expect(await assign("seller", { user_id: person.id }, keeper)).toMatchObject(exceeds);
		expect(await assign("guest", { user_id: person.id, expires_at }, keeper)).toMatchObject({ status: 201 });
		const key = { name: "till", permissions: ["bakery.loaves.view", "bakery.api_keys.manage"] };
		expect(await floor.ask("POST", "/api-keys", { ...keeper, body: key })).toMatchObject(exceeds);
		const ending = await floor.ask("POST", "/api-keys", { ...keeper, body: { ...key, expires_at } });
		expect(ending.status).toBe(201);
	});

	test("with 403 when an administrator of one outlet assigns in the whole tenant or creates a role or a key", async () => {
		const [keeper, person] = [await floor.meet("member"), await floor.meet("member")];
		await assign("baker", { user_id: keeper.id, outlet_id: outletId });
		const headers = { "x-outlet-id": outletId };
		const forbidden = { status: 403, body: { error: "forbidden" } };
		const here = { token: keeper.token, headers };
		expect(await assign("seller", { user_id: person.id }, here)).toMatchObject(forbidden);
		const body = { code: "mine", permissions: [] };
		expect(await floor.ask("POST", "/roles", { ...here, body })).toMatchObject(forbidden);
		const key = { name: "mine", permissions: [] };
		expect(await floor.ask("POST", "/api-keys", { ...here, body: key })).toMatchObject(forbidden);
		const at = { user_id: person.id, outlet_id: outletId };
		expect(await assign("seller", at, here)).toMatchObject({ status: 201 });
	});

	test("with 409 when no person who may assign roles would be left", async () => {
		const { kahawa } = floor.tenants;
		const [one, two] = [await floor.meet("admin", kahawa), await floor.meet("admin", kahawa)];
		const lower = (by: { token: string }, person: { id: string }) =>
			floor.ask("POST", "/roles/guest/assignments", {
				token: by.token,
				at: kahawa,
				body: { user_id: person.id },
			});
		const answers = await Promise.all([lower(one, two), lower(two, one)]);
		expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409]);
		expect(answers.find(({ status }) => status === 409)?.body.code).toBe("last_administrator");
	});

	test("with 409 when the person has as many roles as one may have", async () => {
		const person = await floor.meet("member");
		await floor.database.db.transaction(async (tx) => {
			await tx.query("select set_config('app.tenant_id', $1, true)", [floor.tenants.uhai.id]);
			await tx.query(
				`insert into user_role_assignments (tenant_id, user_id, system_role_id, outlet_id, assigned_by, assigned_at)
				 select u.tenant_id, u.id, r.id, gen_random_uuid(), 'x', now()
				   from users u, system_roles r, generate_series(1, 200)
				  where u.auth_service_user_id = $1 and r.role_code = 'guest'`,
				[person.id],
			);
		});
		expect(await assign("seller", { user_id: person.id })).toMatchObject({
			status: 409,
			body: { code: "assignments_full" },
		});
	});
});
