import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Floor, openFloor } from "./shop-floor.ts";

let floor: Floor;
let admin: string;
beforeAll(async () => {
	floor = await openFloor();
	admin = (await floor.meet("admin")).token;
});
afterAll(() => floor.close());

type Key = { id: string; key: string };
type Listed = { id: string; created_by_name: string | null; last_used_at: string | null };
const permissions = ["bakery.loaves.view", "bakery.loaves.change"];
const make = async (token: string, body: object = {}, at = floor.tenants.uhai) => {
	const answer = await floor.ask("POST", "/api-keys", {
		token,
		at,
		body: { name: "till", permissions, ...body },
	});
	expect(answer.status).toBe(201);
	return answer.body as Key;
};
const use = (key: string, method = "GET", at = floor.tenants.uhai) =>
	floor.ask(method, "/loaves", { headers: { "x-api-key": key }, at });
const statusesOf = async (key: string) => [(await use(key)).status, (await use(key, "POST")).status];

/** A person who may make keys by an assigned role, which is removed later. */
async function meetKeyMaker() {
	const person = await floor.meet("member");
	const code = `maker_${randomUUID().slice(0, 8)}`;
	const body = { code, permissions: [...permissions, "bakery.api_keys.manage"] };
	expect((await floor.ask("POST", "/roles", { token: admin, body })).status).toBe(201);
	const url = `/roles/${code}/assignments`;
	const assigned = await floor.ask("POST", url, { token: admin, body: { user_id: person.id } });
	expect(assigned.status).toBe(201);
	return { ...person, role: code, assignment: `${url}/${assigned.body.id}` };
}

const setStatus = (subject: string, status: string) =>
	inTenant(floor.database.db, floor.tenants.uhai.id, (tx) =>
		tx.query("update users set status = $2 where auth_service_user_id = $1", [subject, status]),
	);

test("a key loses what its creator loses, at once, and gets it back with them", async () => {
	const maker = await meetKeyMaker();
	const { key } = await make(maker.token);
	expect(await statusesOf(key)).toEqual([200, 200]);
	const view = { permissions: ["bakery.loaves.view", "bakery.api_keys.manage"] };
	expect((await floor.ask("PATCH", `/roles/${maker.role}`, { token: admin, body: view })).status).toBe(200);
	await expect.poll(() => statusesOf(key)).toEqual([200, 403]);
	const all = { permissions: [...permissions, "bakery.api_keys.manage"] };
	await floor.ask("PATCH", `/roles/${maker.role}`, { token: admin, body: all });
	await expect.poll(() => statusesOf(key)).toEqual([200, 200]);
	expect((await floor.ask("DELETE", maker.assignment, { token: admin })).status).toBe(204);
	await expect.poll(async () => (await statusesOf(key))[1]).toBe(403);
});

test("a key that grants a whole module keeps the part of it that its creator still has", async () => {
	const maker = await meetKeyMaker();
	const { key } = await make(maker.token);
	await inTenant(floor.database.db, floor.tenants.uhai.id, (tx) =>
		tx.query("update api_keys set permissions = '{bakery.loaves.manage}' where creator_id = $1", [maker.id]),
	);
	expect(await statusesOf(key)).toEqual([200, 200]);
	const view = { permissions: ["bakery.loaves.view", "bakery.api_keys.manage"] };
	await floor.ask("PATCH", `/roles/${maker.role}`, { token: admin, body: view });
	await expect.poll(() => statusesOf(key)).toEqual([200, 403]);
});

test.each(["removed", "disabled", "deleted"])("a key ends when its creator is %s", async (status) => {
	const maker = await meetKeyMaker();
	const { key } = await make(maker.token);
	expect((await use(key)).status).toBe(200);
	await setStatus(maker.id, status);
	await expect.poll(async () => (await use(key)).body.code).toBe("api_key_invalid");
});

test("a key keeps its permissions when a visiting platform owner made it", async () => {
	const { kahawa, lango } = floor.tenants;
	const owner = floor.token(lango, "superuser");
	const { key, id } = await make(owner, {}, kahawa);
	expect((await use(key, "POST", kahawa)).status).toBe(200);
	const { body } = await floor.ask("GET", "/api-keys", { token: owner, at: kahawa });
	const listed = (body.items as Listed[]).find((one) => one.id === id);
	expect(listed?.created_by_name).toBeNull();
});

test.each(["an API key", "a program with client_credentials"])(
	"%s cannot create an API key, whatever it may do",
	async (kind) => {
		const scope = "bakery.api_keys.manage";
		const asking =
			kind === "an API key"
				? { headers: { "x-api-key": (await make(admin, { permissions: [scope] })).key } }
				: { token: floor.issuer.token({ client_id: "program", idtyp: "app", scope }) };
		const body = { name: "next", permissions: [] };
		expect(await floor.ask("POST", "/api-keys", { ...asking, body })).toMatchObject({
			status: 403,
			body: { code: "person_required" },
		});
		expect((await floor.ask("GET", "/api-keys", asking)).status).toBe(200);
	},
);

test("a key assigns no role that its creator may no longer assign", async () => {
	const maker = await meetKeyMaker();
	const grant = { permissions: [...permissions, "bakery.api_keys.manage", "bakery.roles.manage"] };
	await floor.ask("PATCH", `/roles/${maker.role}`, { token: admin, body: grant });
	await expect.poll(async () => (await floor.ask("GET", "/roles", { token: maker.token })).status).toBe(200);
	const { key } = await make(maker.token, { permissions: [...permissions, "bakery.roles.manage"] });
	const other = await floor.meet("member");
	const assign = () =>
		floor.ask("POST", "/roles/baker/assignments", {
			headers: { "x-api-key": key },
			body: { user_id: other.id },
		});
	await floor.ask("DELETE", maker.assignment, { token: admin });
	await expect.poll(async () => (await assign()).status).toBe(403);
});

test("lists show who made a key and when it was last used, written at most once a minute", async () => {
	const maker = await meetKeyMaker();
	const { id, key } = await make(maker.token);
	const listed = async () => {
		const { body } = await floor.ask("GET", "/api-keys?limit=100", { token: admin });
		return (body.items as Listed[]).find((one) => one.id === id);
	};
	expect(await listed()).toMatchObject({ last_used_at: null, created_by_name: expect.any(String) });
	const note = (at: Date) => floor.database.db.query("select note_key_uses($1, $2)", [[id], [at]]);
	const first = new Date("2026-05-01T10:00:00Z");
	await note(first);
	await note(new Date("2026-05-01T10:00:59Z"));
	expect((await listed())?.last_used_at).toBe(first.toISOString());
	await note(new Date("2026-05-01T10:01:00Z"));
	expect((await listed())?.last_used_at).toBe("2026-05-01T10:01:00.000Z");
	expect((await use(key)).status).toBe(200);
});
