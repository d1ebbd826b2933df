import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { testSubscription } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { beforeAll, describe, expect, test } from "vitest";
import { openBakery } from "./bakery.ts";
import { openFloor } from "./shop-floor.ts";

const floor = setUp(openFloor);
let admin: string;
let staff: string;
beforeAll(async () => {
	admin = (await floor.meet("admin")).token;
	staff = (await floor.meet("staff")).token;
});

let made = 0;
const newRole = async (permissions: readonly string[], token = admin) => {
	made += 1;
	const code = `own_${made}`;
	const body = { code, description: "Of our own", permissions };
	return { code, answer: await floor.ask("POST", "/roles", { token, body }) };
};

describe("a tenant's own roles", () => {
	test("a role is made, read, changed and removed, and each is an audit row with what was before and after", async () => {
		const { code, answer } = await newRole(["bakery.loaves.view"]);
		expect(answer).toMatchObject({
			status: 201,
			body: {
				code,
				tenant_id: floor.tenants.uhai.id,
				is_system_role: false,
				description: "Of our own",
				permissions: ["bakery.loaves.view"],
			},
		});
		expect((await floor.ask("GET", `/roles/${code}`, { token: admin })).body).toEqual(answer.body);
		const changed = await floor.ask("PATCH", `/roles/${code}`, {
			token: admin,
			body: { permissions: ["bakery.loaves.change"] },
		});
		expect(changed).toMatchObject({
			status: 200,
			body: { description: "Of our own", permissions: ["bakery.loaves.change"] },
		});
		expect((await floor.ask("DELETE", `/roles/${code}`, { token: admin })).status).toBe(204);
		expect((await floor.ask("GET", `/roles/${code}`, { token: admin })).status).toBe(404);
		const { items } = (await floor.ask("GET", "/audit?limit=3", { token: admin })).body as {
			items: { action: string; subject: string; detail: unknown }[];
		};
		expect(items.map(({ action, subject }) => `${action} ${subject}`)).toEqual([
			`role.deleted ${code}`,
			`role.changed ${code}`,
			`role.created ${code}`,
		]);
		expect(items[1]?.detail).toEqual({
			before: { description: "Of our own", permissions: ["bakery.loaves.view"] },
			after: { description: "Of our own", permissions: ["bakery.loaves.change"] },
		});
		const published = await floor.database.db.query(
			`select envelope->>'tenantslug' as slug, envelope->'data'->>'is_deleted' as "isDeleted" from outbox
			  where type = 'bakery.role.changed' and envelope->'data'->>'code' = $1 order by position`,
			[code],
		);
		expect(published).toEqual(["false", "false", "true"].map((isDeleted) => ({ slug: "uhai", isDeleted })));
	});

	test("the list has the system roles and the tenant's own, page by page, and no other tenant's", async () => {
		const { code } = await newRole([]);
		const seen: string[] = [];
		let cursor = "";
		do {
			const { body } = await floor.ask("GET", `/roles?limit=2${cursor}`, { token: admin });
			seen.push(...(body.items as { code: string }[]).map((role) => role.code));
			cursor = body.next_cursor === null ? "" : `&cursor=${body.next_cursor}`;
		} while (cursor !== "");
		expect(seen).toEqual(seen.toSorted());
		expect(seen).toEqual(expect.arrayContaining(["baker", "guest", "seller", code]));
		const other = await floor.ask("GET", "/roles", {
			token: floor.token(floor.tenants.kahawa, "admin"),
			at: floor.tenants.kahawa,
		});
		expect((other.body.items as { code: string }[]).map((role) => role.code)).toEqual([
			"baker",
			"guest",
			"seller",
		]);
	});

	test("a change of a role applies to its holders at once", async () => {
		const { code } = await newRole([]);
		const person = await floor.meet("member");
		const body = { user_id: person.id };
		await floor.ask("POST", `/roles/${code}/assignments`, { token: admin, body });
		expect((await floor.ask("GET", "/loaves", person)).status).toBe(403);
		await floor.ask("PATCH", `/roles/${code}`, {
			token: admin,
			body: { permissions: ["bakery.loaves.view"] },
		});
		await expect.poll(async () => (await floor.ask("GET", "/loaves", person)).status).toBe(200);
		expect(await floor.ask("DELETE", `/roles/${code}`, { token: admin })).toMatchObject({
			status: 409,
			body: { code: "role_in_use" },
		});
	});
});

test("a process of the service drops what it holds of people when another changes their role, or assigns one", async () => {
	const bakery = await openBakery();
	const beside = await bakery.replica();
	const ask = async (
		{ app }: Pick<typeof beside, "app">,
		{
			method = "GET",
			path,
			token,
			body,
		}: { method?: "GET" | "POST" | "PATCH"; path: string; token: string; body?: object },
	) => {
		const answer = await app.inject({
			method,
			url: `/api/v1/mkate/bakery${path}`,
			headers: { authorization: `Bearer ${token}` },
			...(body !== undefined && { payload: body }),
		});
		return answer.statusCode;
	};
	const { id } = bakery.tenant;
	bakery.subscriptions.records.set(id, testSubscription(id));
	const [token, sub] = [bakery.token({ roles: ["admin"] }), randomUUID()];
	const person = { path: "/loaves", token: bakery.token({ sub, roles: ["member"] }) };
	const seen = () => ask(beside, person);
	expect(await seen()).toBe(403);
	const role = { code: "own", permissions: ["bakery.loaves.view"] };
	await ask(bakery, { method: "POST", path: "/roles", token, body: role });
	await ask(bakery, { method: "POST", path: "/roles/own/assignments", token, body: { user_id: sub } });
	await expect.poll(seen).toBe(200);
	await ask(bakery, { method: "PATCH", path: "/roles/own", token, body: { permissions: [] } });
	await expect.poll(seen).toBe(403);
	await beside.close();
	await bakery.close();
});

describe("a change of roles is refused", () => {
	test("with 409 when there is a role of that name, also a system role", async () => {
		const { code } = await newRole([]);
		for (const name of [code, "baker"])
			expect(
				await floor.ask("POST", "/roles", { token: admin, body: { code: name, permissions: [] } }),
			).toMatchObject({ status: 409, body: { code: "role_exists" } });
	});

	test("with 409 when the tenant has two hundred of its own already", async () => {
		const { kahawa } = floor.tenants;
		const { token } = await floor.meet("admin", kahawa);
		await inTenant(floor.database.db, kahawa.id, (tx) =>
			tx.query(
				"insert into roles (tenant_id, role_code) select $1, 'many_' || n from generate_series(1, 199) n",
				[kahawa.id],
			),
		);
		const add = (code: string) =>
			floor.ask("POST", "/roles", { token, at: kahawa, body: { code, permissions: [] } });
		expect((await add("last")).status).toBe(201);
		expect(await add("one_more")).toMatchObject({ status: 409, body: { code: "roles_full" } });
	});

	test("with 409 when the role comes with the service", async () => {
		const refused = { status: 409, body: { code: "role_is_system" } };
		expect(await floor.ask("PATCH", "/roles/guest", { token: admin, body: {} })).toMatchObject(refused);
		expect(await floor.ask("DELETE", "/roles/guest", { token: admin })).toMatchObject(refused);
	});

	test("with 400 naming the field for an undeclared permission and an invalid code", async () => {
		expect((await newRole(["bakery.loaves.view", "bakery.cakes.view"])).answer).toMatchObject({
			status: 400,
			body: { code: "permission_unknown", field: "permissions.1" },
		});
		const body = { code: "No Role", permissions: [] };
		expect(await floor.ask("POST", "/roles", { token: admin, body })).toMatchObject({
			status: 400,
			body: { field: "code" },
		});
	});

	test("with 404 for an unknown role, and a cursor of no page with 400", async () => {
		expect(await floor.ask("PATCH", "/roles/unknown", { token: admin, body: {} })).toMatchObject({
			status: 404,
			body: { field: "code" },
		});
		for (const cursor of ["x", Buffer.from("a\nb").toString("base64url")])
			expect(await floor.ask("GET", `/roles?cursor=${cursor}`, { token: admin })).toMatchObject({
				status: 400,
				body: { field: "cursor" },
			});
	});

	test("with 403 when it would grant, or take from a role, more than the caller may do", async () => {
		const { code: keeper } = await newRole(["bakery.roles.manage", "bakery.loaves.view"]);
		const { code: strong } = await newRole(["bakery.loaves.change"]);
		const person = await floor.meet("member");
		await floor.ask("POST", `/roles/${keeper}/assignments`, { token: admin, body: { user_id: person.id } });
		const exceeds = {
			status: 403,
			body: { code: "exceeds_own_rights", missing: ["bakery.loaves.change"] },
		};
		expect((await newRole(["bakery.loaves.change"], person.token)).answer).toMatchObject(exceeds);
		expect((await newRole(["bakery.loaves.view_own"], person.token)).answer).toMatchObject({ status: 201 });
		const lower = { token: person.token, body: { permissions: [] } };
		expect(await floor.ask("PATCH", `/roles/${strong}`, lower)).toMatchObject(exceeds);
		expect(await floor.ask("DELETE", `/roles/${strong}`, person)).toMatchObject(exceeds);
		expect(
			await floor.ask("POST", "/roles", { token: staff, body: { code: "x", permissions: [] } }),
		).toMatchObject({
			status: 403,
			body: { error: "forbidden" },
		});
	});
});

test("the permissions of the service are listed with what they are about", async () => {
	const { status, body } = await floor.ask("GET", "/permissions?limit=200", { token: admin });
	expect(status).toBe(200);
	expect(body.items).toContainEqual({
		code: "bakery.loaves.view_own",
		module: "loaves",
		action: "view_own",
		resource: "bakery.loaves",
		description: "view own in loaves",
		is_reserved: false,
	});
	expect(body.items).toHaveLength(12);
	const first = await floor.ask("GET", "/permissions?limit=10", { token: admin });
	const next = await floor.ask("GET", `/permissions?limit=10&cursor=${first.body.next_cursor}`, {
		token: admin,
	});
	expect([...(first.body.items as []), ...(next.body.items as [])]).toEqual(body.items);
	expect(next.body.next_cursor).toBeNull();
});

test("the people of the service are listed with their roles, and found by address or a part of it", async () => {
	const person = await floor.meet("member");
	const { body } = await floor.ask("GET", `/users?email=${person.id.toUpperCase()}@x.example`, {
		token: admin,
	});
	expect(body).toEqual({
		items: [
			{
				user_id: person.id,
				tenant_id: floor.tenants.uhai.id,
				email: `${person.id}@x.example`,
				name: "member",
				status: "active",
				global_roles: ["member"],
				roles: [{ role: "guest", outlet_id: null, expires_at: null }],
			},
		],
		next_cursor: null,
	});
	const part = person.id.slice(2, 30).toUpperCase();
	const found = await floor.ask("GET", `/users?q=${part}`, { token: admin });
	expect(found.body).toEqual(body);
	const counted = await floor.ask("GET", `/users?q=${part}&total=true`, { token: admin });
	expect(counted.body).toEqual({ ...(body as object), total: 1 });
	expect((await floor.ask("GET", `/users?q=${part}%25`, { token: admin })).body.items).toEqual([]);
	const assigned = `/roles/guest/assignments?q=${part}`;
	const { items } = (await floor.ask("GET", assigned, { token: admin })).body as { items: object[] };
	expect(items).toMatchObject([{ user_id: person.id, role: "guest" }]);
	expect((await floor.ask("GET", `${assigned}%25`, { token: admin })).body.items).toEqual([]);
	const first = await floor.ask("GET", "/users?limit=1", { token: admin });
	const next = await floor.ask("GET", `/users?limit=1&cursor=${first.body.next_cursor}`, { token: admin });
	expect(next.body.items).not.toEqual(first.body.items);
});
