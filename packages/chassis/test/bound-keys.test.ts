import { randomUUID } from "node:crypto";
import type { AccessTokenClaims, PublicTenant } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import { addTenant } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { openFloor } from "./shop-floor.ts";

const floor = setUp(openFloor);
let admin: string;
beforeAll(async () => {
	admin = (await floor.meet("admin")).token;
});

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

test("a key for all tenants ends when its creator is no longer a superuser of the platform", async () => {
	const { lango } = floor.tenants;
	const owner = await floor.meet("superuser", lango);
	const url = `/api/v1/lango/bakery/api-keys?tenantId=${lango.id}`;
	const body = { name: "services", permissions, all_tenants: true };
	const made = await floor.call({ method: "POST", url, token: owner.token, body });
	expect(made.status).toBe(201);
	const { key } = made.body as Key;
	expect((await use(key)).status).toBe(200);
	await inTenant(floor.database.db, lango.id, (tx) =>
		tx.query(
			"update users set global_roles = '{admin}', first_role = 'baker' where auth_service_user_id = $1",
			[owner.id],
		),
	);
	await expect.poll(async () => (await use(key)).body.code).toBe("api_key_invalid");
});

describe("the outlets of a key", () => {
	const [main, side, far] = [randomUUID(), randomUUID(), randomUUID()].sort() as [string, string, string];
	let tenant: PublicTenant;
	beforeAll(() => {
		tenant = openTenant("tawi", [main, side, far]);
	});

	const openTenant = (slug: string, ids: readonly string[]) =>
		addTenant(floor, slug, { outlets: ids.map((id, index) => ({ id, code: `O${index}` })) });
	/** An administrator of the service with these outlets, and a key of theirs. */
	const makeAs = async (claims: Partial<AccessTokenClaims>, body: object = {}, at = tenant) => {
		const creator = await floor.meet("member", at, claims);
		const assigner = floor.token(at, "admin");
		const assigned = { token: assigner, at, body: { user_id: creator.id } };
		expect((await floor.ask("POST", "/roles/baker/assignments", assigned)).status).toBe(201);
		const listKeys = () => floor.ask("GET", "/api-keys", { token: creator.token, at });
		await expect.poll(async () => (await listKeys()).status).toBe(200);
		return { creator: creator.id, ...(await make(creator.token, body, at)) };
	};
	const isOf = (...outlet_ids: string[]) => ({ outlet_scope: "unselected", outlet_ids }) as const;
	const change = (creator: string, set: { isHq?: boolean; outlets?: readonly string[] }) =>
		inTenant(floor.database.db, tenant.id, (tx) =>
			tx.query("update users set is_hq = $2, outlet_ids = $3 where auth_service_user_id = $1", [
				creator,
				set.isHq ?? false,
				set.outlets ?? [],
			]),
		);
	const setOutletStatus = (at: PublicTenant, ids: readonly string[], status: string) =>
		inTenant(floor.database.db, at.id, (tx) =>
			tx.query("update outlets set status = $2 where id = any ($1)", [[...ids], status]),
		);
	const outletsOf = async (key: string, at = tenant) => (await use(key, "GET", at)).body.outlets;

	test.each([
		["without a list of its own", {}],
		["with a list of its own", { outlet_ids: [main, side] }],
	])("end with those of its creator, at once, and return with them: %s", async (_, body) => {
		const { creator, key } = await makeAs(isOf(main, side), body);
		expect(await outletsOf(key)).toEqual([main, side, null]);
		await change(creator, { outlets: [side, far] });
		await expect.poll(() => outletsOf(key)).toEqual([side, null]);
		const headers = { "x-api-key": key, "x-outlet-id": main };
		expect((await floor.ask("GET", "/loaves", { headers, at: tenant })).body.code).toBe("outlet_forbidden");
		await change(creator, {});
		await expect.poll(() => outletsOf(key)).toEqual([null]);
		await change(creator, { outlets: [main, side] });
		await expect.poll(() => outletsOf(key)).toEqual([main, side, null]);
	});

	test("are those of its creator when a key for every outlet outlives their time at headquarters", async () => {
		const { creator, key } = await makeAs({ is_hq_user: true });
		expect(await outletsOf(key)).toBeNull();
		await change(creator, { outlets: [main] });
		await expect.poll(() => outletsOf(key)).toEqual([main, null]);
		await change(creator, { isHq: true });
		await expect.poll(() => outletsOf(key)).toBeNull();
	});

	test("are its own list when its creator is of headquarters or an administrator", async () => {
		const { key } = await makeAs({ is_hq_user: true }, { outlet_ids: [far] });
		expect(await outletsOf(key)).toEqual([far, null]);
		const { token } = await floor.meet("admin", tenant);
		const own = await make(token, { outlet_ids: [side] }, tenant);
		expect(await outletsOf(own.key)).toEqual([side, null]);
	});

	test("do not include an outlet that was archived", async () => {
		const { key } = await makeAs(isOf(main, far));
		await setOutletStatus(tenant, [far], "archived");
		await expect.poll(() => outletsOf(key)).toEqual([main, null]);
		await setOutletStatus(tenant, [far], "active");
		await expect.poll(() => outletsOf(key)).toEqual([main, far, null]);
	});

	test("are not limited by its creator in a tenant without active outlets", async () => {
		const outlets = [randomUUID(), randomUUID()].sort();
		const at = openTenant("tupu", outlets);
		const { key } = await makeAs({ is_hq_user: true }, {}, at);
		await inTenant(floor.database.db, at.id, (tx) => tx.query("update users set is_hq = false"));
		await expect.poll(() => outletsOf(key, at)).toEqual([null]);
		await setOutletStatus(at, outlets, "archived");
		await expect.poll(() => outletsOf(key, at)).toBeNull();
	});

	test("stay as they are when a visiting platform owner made it", async () => {
		const owner = floor.token(floor.tenants.lango, "superuser");
		const every = await make(owner, {}, tenant);
		expect(await outletsOf(every.key)).toBeNull();
		const one = await make(owner, { outlet_ids: [far] }, tenant);
		expect(await outletsOf(one.key)).toEqual([far, null]);
	});
});

test("a use of a key is written within a minute", async () => {
	vi.useFakeTimers({ toFake: ["setInterval"] });
	onTestFinished(() => void vi.useRealTimers());
	const own = await openFloor();
	try {
		const { token } = await own.meet("admin");
		const made = await own.ask("POST", "/api-keys", { token, body: { name: "till", permissions } });
		const headers = { "x-api-key": (made.body as Key).key };
		expect((await own.ask("GET", "/loaves", { headers })).status).toBe(200);
		vi.advanceTimersByTime(60_000);
		const used = async () => {
			const { body } = await own.ask("GET", "/api-keys", { token });
			return (body.items as Listed[])[0]?.last_used_at;
		};
		await expect.poll(used).toEqual(expect.any(String));
	} finally {
		await own.close();
	}
});
