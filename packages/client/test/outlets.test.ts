import { decidePage, memoryStorage } from "@lango/client";
import { afterEach, beforeEach, expect, test } from "vitest";
import { identity, openScene, type Scene, tokens } from "./scene.ts";

let scene: Scene;
beforeEach(async () => {
	scene = await openScene();
});
afterEach(() => scene.close());

const outlet = (id: string, status = "active") => ({
	id,
	code: id,
	name: id,
	use_case: "retail",
	is_hq: false,
	status,
});
const key = "hospital-selected-outlet-id";
const listLine = "GET /api/v1/tenants/uhai/outlets";

async function enter(
	outlets: object[],
	{ me = {}, claims = {}, tab = memoryStorage(), browser = memoryStorage() } = {},
) {
	scene.on("POST /api/v1/auth/refresh", { body: tokens(claims, 1) });
	scene.on("GET /api/v1/auth/me", { body: { ...identity, ...me } });
	scene.on(listLine, { body: outlets });
	scene.on("GET /ward", ({ headers }) => ({ body: { outlet: headers["x-outlet-id"] ?? null } }));
	const client = scene.client({ service: { name: "hospital", url: scene.url }, tab, browser });
	await client.start();
	return client;
}

test("the outlet of the session is selected by itself, kept, and goes along with every request", async () => {
	const tab = memoryStorage();
	const client = await enter([outlet("a"), outlet("b")], { tab, me: { outlet_id: "b" } });
	expect(client.getState()).toMatchObject({ outlet: { kind: "selected", outletId: "b" } });
	expect(tab.get(key)).toBe("b");
	expect(await client.call("/ward")).toEqual({ outlet: "b" });
	expect(await client.call("/ward", { isPublic: true })).toEqual({ outlet: "b" });
	expect(scene.lines()).not.toContain(listLine);
});

test("a call that is about the whole tenant leaves the outlet out", async () => {
	const client = await enter([outlet("a")]);
	expect(await client.call("/ward")).toEqual({ outlet: "a" });
	expect(await client.call("/ward", { outlet: "none" })).toEqual({ outlet: null });
});

test.each([
	["/api/v1/tenants/kahawa/people", {}],
	["/api/v1/tenants/0b1e2c7a-0000-4000-8000-0000000000bb/subscription", {}],
	["/api/v1/kahawa/menu/items", {}],
	["/ward", { tenantId: "0b1e2c7a-0000-4000-8000-0000000000bb" }],
])("an outlet of the own tenant does not go along to another: %s %j", async (path, query) => {
	const memberships = [{ tenant_id: "k", slug: "kahawa", name: "Kahawa", roles: [], status: "active" }];
	const client = await enter([outlet("a")], { me: { memberships } });
	scene.on(`GET ${path}`, ({ headers }) => ({ body: { outlet: headers["x-outlet-id"] ?? null } }));
	expect(await client.call(path, { query })).toEqual({ outlet: null });
});

test.each([
	["/api/v1/tenants/uhai/people", {}],
	[`/api/v1/tenants/${identity.tenant_id}/subscription`, {}],
	["/api/v1/uhai/hospital/patients", {}],
	["/ward", { tenantId: identity.tenant_id }],
])("the outlet goes along to the own tenant, also for the platform owner: %s %j", async (path, query) => {
	for (const is_platform_owner of [false, true]) {
		const client = await enter([outlet("a")], { me: { is_platform_owner } });
		scene.on(`GET ${path}`, ({ headers }) => ({ body: { outlet: headers["x-outlet-id"] ?? null } }));
		expect(await client.call(path, { query })).toEqual({ outlet: "a" });
	}
});

test("what the platform owner asks of no tenant or another one is asked without their own outlet", async () => {
	const client = await enter([outlet("a")], { me: { is_platform_owner: true } });
	expect(await client.call("/ward")).toEqual({ outlet: null });
	scene.on("GET /api/v1/kahawa/hospital/roles", ({ headers }) => ({
		body: { outlet: headers["x-outlet-id"] ?? null },
	}));
	expect(await client.call("/api/v1/kahawa/hospital/roles")).toEqual({ outlet: null });
});

test("people of headquarters choose: the outlet of their token is not selected by itself", async () => {
	const client = await enter([outlet("a"), outlet("b")], {
		me: { outlet_id: "b", is_hq_user: true },
		claims: { outlet_scope: "all" },
	});
	expect(client.getState()).toMatchObject({ outlet: { kind: "choosing" } });
	expect(await client.call("/ward")).toEqual({ outlet: null });
});

test("who has several is asked where the page needs an outlet, and elsewhere goes on", async () => {
	const client = await enter([outlet("a"), outlet("b")]);
	const place = { tenant: "uhai", needsOutlet: true };
	expect(decidePage(client.getState(), place)).toEqual({ go: "outlet", to: "/uhai/select-outlet" });
	expect(decidePage(client.getState(), { tenant: "uhai" })).toEqual({ go: "on" });
	client.chooseOutlet("b");
	expect(decidePage(client.getState(), place)).toEqual({ go: "on" });
	expect(await client.call("/ward")).toEqual({ outlet: "b" });
});

test("the list is asked for without Authorization and leaves archived outlets out", async () => {
	const client = await enter([outlet("a"), outlet("old", "archived"), outlet("b", "inactive")]);
	expect(client.getState()).toMatchObject({
		outlet: { kind: "choosing", outlets: [{ id: "a" }, { id: "b" }] },
	});
	const [asked] = scene.asked.filter(({ line }) => line === listLine);
	expect(asked?.headers).not.toHaveProperty("authorization");
});

test("a single outlet is selected by itself, also when others are archived", async () => {
	const client = await enter([outlet("old", "archived"), outlet("a")]);
	expect(client.getState()).toMatchObject({ outlet: { kind: "selected", outletId: "a" } });
});

test("a tenant without outlets has none to select", async () => {
	const client = await enter([outlet("old", "archived")]);
	expect(client.getState()).toMatchObject({ outlet: { kind: "none" } });
});

test("the last used come first", async () => {
	const client = await enter([outlet("a"), outlet("b"), outlet("c")]);
	client.chooseOutlet("c");
	client.chooseOutlet("b");
	expect((await client.listOutlets()).map(({ id }) => id)).toEqual(["b", "c", "a"]);
});

test("a reload restores the chosen outlet", async () => {
	const tab = memoryStorage();
	(await enter([outlet("a"), outlet("b")], { tab })).chooseOutlet("b");
	const reloaded = await enter([outlet("a"), outlet("b")], { tab });
	expect(reloaded.getState()).toMatchObject({ outlet: { kind: "selected", outletId: "b" } });
});

test.each([
	["of another tenant", [outlet("a"), outlet("c")]],
	["archived since", [outlet("a"), outlet("b", "archived"), outlet("c")]],
])("a stored outlet that is %s is not restored", async (_what, outlets) => {
	const tab = memoryStorage();
	tab.set(key, "b");
	const client = await enter(outlets, { tab });
	expect(client.getState()).toMatchObject({ outlet: { kind: "choosing" } });
});

test("all outlets together are offered where the scope is all, and a reload restores that; nowhere else", async () => {
	const tab = memoryStorage();
	const claims = { outlet_scope: "all" };
	const client = await enter([outlet("a"), outlet("b")], { tab, claims });
	client.chooseOutlet("all");
	expect(await client.call("/ward")).toEqual({ outlet: null });
	const reloaded = await enter([outlet("a"), outlet("b")], { tab, claims });
	expect(reloaded.getState()).toMatchObject({ outlet: { kind: "all" } });
	const other = await enter([outlet("a"), outlet("b")], { tab });
	expect(other.getState()).toMatchObject({ outlet: { kind: "choosing" } });
	expect(() => other.chooseOutlet("all")).toThrow("outlet_forbidden");
});

test("outlets that were used before come first, and a sign-out removes every key of the service", async () => {
	const [tab, browser] = [memoryStorage(), memoryStorage()];
	(await enter([outlet("a"), outlet("b")], { browser })).chooseOutlet("b");
	const client = await enter([outlet("a"), outlet("b")], { tab, browser });
	expect(client.getState()).toMatchObject({
		outlet: { kind: "choosing", outlets: [{ id: "b" }, { id: "a" }] },
	});
	client.chooseOutlet("a");
	expect(client.lastUsedOutletIds("uhai")).toEqual(["a", "b"]);
	await client.signOut();
	expect(tab.get(key)).toBeUndefined();
	expect(client.lastUsedOutletIds("uhai")).toEqual([]);
});

test("the outlets of a tenant that were used last are its own", async () => {
	const browser = memoryStorage();
	(await enter([outlet("a"), outlet("b")], { browser })).chooseOutlet("b");
	const line = "GET /api/v1/tenants/kahawa/outlets";
	scene.on(line, { body: [outlet("k"), outlet("b")] });
	const client = await enter([outlet("a")], { browser });
	expect((await client.listOutlets("kahawa")).map(({ id }) => id)).toEqual(["k", "b"]);
	expect(client.lastUsedOutletIds("kahawa")).toEqual([]);
});

const meLine = "GET /api/v1/auth/me";
const serviceMeLine = "GET /api/v1/uhai/hospital/auth/me";
const outletsSentTo = (line: string) =>
	scene.asked.filter((asked) => asked.line === line).map(({ headers }) => headers["x-outlet-id"]);

test.each([
	["the stored one", { outlet_scope: "unselected", outlet_ids: ["a", "b"] }, "b"],
	["the stored one of a customer, who has none assigned", { outlet_scope: "unselected" }, "b"],
	["the one of the session", { outlet_scope: "selected", outlet_id: "a" }, "a"],
	[
		"none where the stored one is outside the scope",
		{ outlet_scope: "unselected", outlet_ids: ["a"] },
		undefined,
	],
] as const)("both auth/me are asked with the outlet: %s", async (_what, claims, sent) => {
	const tab = memoryStorage();
	tab.set(key, "b");
	const me = { outlet_id: "outlet_id" in claims ? claims.outlet_id : "" };
	await enter([outlet("a"), outlet("b")], { tab, me, claims });
	expect(outletsSentTo(meLine)).toEqual([sent]);
	expect(outletsSentTo(serviceMeLine)).toEqual([sent]);
});

test("only the outlets in scope are offered, and none outside it can be chosen", async () => {
	const claims = { outlet_scope: "unselected", outlet_ids: ["a", "b"] };
	const client = await enter([outlet("a"), outlet("b"), outlet("c")], { claims });
	expect(client.getState()).toMatchObject({
		outlet: { kind: "choosing", outlets: [{ id: "a" }, { id: "b" }] },
	});
	expect(() => client.chooseOutlet("c")).toThrow("outlet_forbidden");
	client.chooseOutlet("b");
	expect(await client.call("/ward")).toEqual({ outlet: "b" });
});

test.each([meLine, serviceMeLine])(
	"an outlet that %s refuses is forgotten, and it is asked once more without it",
	async (line) => {
		const tab = memoryStorage();
		tab.set(key, "b");
		const { on } = scene;
		scene.on = (at, handler) => void (at === line ? undefined : on(at, handler));
		on(line, ({ headers }) =>
			headers["x-outlet-id"] === undefined
				? { body: identity }
				: { status: 403, body: { error: "no", code: "outlet_forbidden" } },
		);
		const client = await enter([outlet("a"), outlet("b")], { tab });
		expect(outletsSentTo(line)).toEqual(["b", undefined]);
		expect(client.getState()).toMatchObject({ status: "ready", outlet: { kind: "choosing" } });
		expect(tab.get(key)).toBeUndefined();
	},
);

test("an outlet that a call is refused for is forgotten, and everything is asked again without it", async () => {
	const tab = memoryStorage();
	const client = await enter([outlet("a"), outlet("b")], { tab });
	client.chooseOutlet("b");
	scene.on("GET /ward", { status: 403, body: { error: "no", code: "outlet_forbidden" } });
	await expect(client.call("/ward")).rejects.toMatchObject({ code: "outlet_forbidden" });
	await expect.poll(() => outletsSentTo(meLine)).toEqual([undefined, undefined]);
	await expect.poll(() => client.getState()).toMatchObject({ outlet: { kind: "choosing" } });
	expect(tab.get(key)).toBeUndefined();
});

test("a token with an outlet that the session no longer has is refreshed before anything is asked with it", async () => {
	const claims = { outlet_scope: "selected", outlet_id: "a" };
	scene.on("GET /api/v1/tenants/uhai/outlets", { body: [] });
	await enter([outlet("a"), outlet("b")], { claims });
	expect(scene.lines().filter((line) => line === "POST /api/v1/auth/refresh")).toHaveLength(2);
});
