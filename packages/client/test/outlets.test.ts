import { decidePage, memoryStorage } from "@lango/client";
import { afterEach, beforeEach, expect, test } from "vitest";
import { identity, openTestServer, type TestServer, tokens } from "./test-server.ts";

let server: TestServer;
beforeEach(async () => {
	server = await openTestServer();
});
afterEach(() => server.close());

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

/** The claims of a person who is bound to several outlets. */
const bound = { outlet_scope: "unselected", outlet_ids: ["a", "b", "c"] };
const { tenant_id: tenantId, user_id: userId } = identity;
const keptKey = `lango-outlet:hospital:${tenantId}:${userId}`;

async function startClient(
	outlets: object[],
	{ me = {}, claims = {}, tab = memoryStorage(), browser = memoryStorage() } = {},
) {
	server.on("POST /api/v1/auth/refresh", { body: tokens(claims, 1) });
	server.on("GET /api/v1/auth/me", { body: { ...identity, ...me } });
	server.on(listLine, { body: outlets });
	server.on("GET /ward", ({ headers }) => ({ body: { outlet: headers["x-outlet-id"] ?? null } }));
	const client = server.client({ service: { name: "hospital", url: server.url }, tab, browser });
	await client.start();
	return client;
}

test("the outlet of the session is selected, stored and sent with every request", async () => {
	const tab = memoryStorage();
	const client = await startClient([outlet("a"), outlet("b")], { tab, me: { outlet_id: "b" } });
	expect(client.getState()).toMatchObject({ outlet: { kind: "selected", outletId: "b" } });
	expect(tab.get(key)).toBe("b");
	expect(await client.call("/ward")).toEqual({ outlet: "b" });
	expect(await client.call("/ward", { isPublic: true })).toEqual({ outlet: "b" });
	expect(server.lines()).not.toContain(listLine);
});

test("a call with outlet none sends no outlet", async () => {
	const client = await startClient([outlet("a")]);
	expect(await client.call("/ward")).toEqual({ outlet: "a" });
	expect(await client.call("/ward", { outlet: "none" })).toEqual({ outlet: null });
});

test.each([
	["/api/v1/tenants/kahawa/people", {}],
	["/api/v1/tenants/0b1e2c7a-0000-4000-8000-0000000000bb/subscription", {}],
	["/api/v1/kahawa/menu/items", {}],
	["/ward", { tenantId: "0b1e2c7a-0000-4000-8000-0000000000bb" }],
])("the outlet is not sent to an address of another tenant: %s %j", async (path, query) => {
	const memberships = [{ tenant_id: "k", slug: "kahawa", name: "Kahawa", roles: [], status: "active" }];
	const client = await startClient([outlet("a")], { me: { memberships } });
	server.on(`GET ${path}`, ({ headers }) => ({ body: { outlet: headers["x-outlet-id"] ?? null } }));
	expect(await client.call(path, { query })).toEqual({ outlet: null });
});

test.each([
	["/api/v1/tenants/uhai/people", {}],
	[`/api/v1/tenants/${identity.tenant_id}/subscription`, {}],
	["/api/v1/uhai/hospital/patients", {}],
	["/ward", { tenantId: identity.tenant_id }],
])(
	"the outlet is sent to an address of the own tenant, also for the platform owner: %s %j",
	async (path, query) => {
		for (const is_platform_owner of [false, true]) {
			const client = await startClient([outlet("a")], { me: { is_platform_owner } });
			server.on(`GET ${path}`, ({ headers }) => ({ body: { outlet: headers["x-outlet-id"] ?? null } }));
			expect(await client.call(path, { query })).toEqual({ outlet: "a" });
		}
	},
);

test("a call of the platform owner without their own tenant in the address sends no outlet", async () => {
	const client = await startClient([outlet("a")], { me: { is_platform_owner: true } });
	expect(await client.call("/ward")).toEqual({ outlet: null });
	server.on("GET /api/v1/kahawa/hospital/roles", ({ headers }) => ({
		body: { outlet: headers["x-outlet-id"] ?? null },
	}));
	expect(await client.call("/api/v1/kahawa/hospital/roles")).toEqual({ outlet: null });
});

test("with the scope all, the outlet of the session is not selected automatically", async () => {
	const client = await startClient([outlet("a"), outlet("b")], {
		me: { outlet_id: "b", is_hq_user: true },
		claims: { outlet_scope: "all" },
	});
	expect(client.getState()).toMatchObject({ outlet: { kind: "all" } });
	expect(await client.call("/ward")).toEqual({ outlet: null });
});

test("a person without assigned outlets, such as a customer, is not asked for one and may select any", async () => {
	const claims = { outlet_scope: "unselected" };
	const client = await startClient([outlet("a"), outlet("b")], { claims });
	expect(client.getState()).toMatchObject({ outlet: { kind: "none" } });
	const page = { tenant: "uhai", needsOutlet: true };
	expect(decidePage(client.getState(), page)).toEqual({ go: "on" });
	client.chooseOutlet("b");
	expect(await client.call("/ward")).toEqual({ outlet: "b" });
});

test("with several outlets, only a page that needs an outlet leads to the selection", async () => {
	const client = await startClient([outlet("a"), outlet("b")], { claims: bound });
	const page = { tenant: "uhai", needsOutlet: true };
	expect(decidePage(client.getState(), page)).toEqual({ go: "outlet", to: "/uhai/select-outlet" });
	expect(decidePage(client.getState(), { tenant: "uhai" })).toEqual({ go: "on" });
	client.chooseOutlet("b");
	expect(decidePage(client.getState(), page)).toEqual({ go: "on" });
	expect(await client.call("/ward")).toEqual({ outlet: "b" });
});

test("the list is requested without Authorization and contains no archived outlets", async () => {
	const outlets = [outlet("a"), outlet("old", "archived"), outlet("b", "inactive")];
	const client = await startClient(outlets, { claims: bound });
	expect(client.getState()).toMatchObject({
		outlet: { kind: "choosing", outlets: [{ id: "a" }, { id: "b" }] },
	});
	const [asked] = server.asked.filter(({ line }) => line === listLine);
	expect(asked?.headers).not.toHaveProperty("authorization");
});

test("a single outlet is selected, also if others are archived", async () => {
	const client = await startClient([outlet("old", "archived"), outlet("a")]);
	expect(client.getState()).toMatchObject({ outlet: { kind: "selected", outletId: "a" } });
});

test("without outlets there is no outlet to select", async () => {
	const client = await startClient([outlet("old", "archived")]);
	expect(client.getState()).toMatchObject({ outlet: { kind: "none" } });
});

test("the last used outlets come first", async () => {
	const client = await startClient([outlet("a"), outlet("b"), outlet("c")]);
	client.chooseOutlet("c");
	client.chooseOutlet("b");
	expect((await client.listOutlets()).map(({ id }) => id)).toEqual(["b", "c", "a"]);
});

test("a page reload restores the selected outlet", async () => {
	const tab = memoryStorage();
	(await startClient([outlet("a"), outlet("b")], { tab })).chooseOutlet("b");
	const reloaded = await startClient([outlet("a"), outlet("b")], { tab });
	expect(reloaded.getState()).toMatchObject({ outlet: { kind: "selected", outletId: "b" } });
});

test("a new tab restores the outlet of the person and the tenant, also after a sign-out", async () => {
	const browser = memoryStorage();
	const claims = { outlet_scope: "all" };
	const client = await startClient([outlet("a"), outlet("b")], { browser, claims });
	client.chooseOutlet("b");
	await client.signOut();
	const tab = await startClient([outlet("a"), outlet("b")], { browser, claims });
	expect(tab.getState()).toMatchObject({ outlet: { kind: "selected", outletId: "b" } });
	const other = { user_id: "0b1e2c7a-0000-4000-8000-000000000002" };
	const claimsOfOther = { ...claims, sub: other.user_id };
	const ofOther = await startClient([outlet("a"), outlet("b")], {
		browser,
		me: other,
		claims: claimsOfOther,
	});
	expect(ofOther.getState()).toMatchObject({ outlet: { kind: "all" } });
});

test.each([
	["of another tenant", [outlet("a"), outlet("c")]],
	["archived since", [outlet("a"), outlet("b", "archived"), outlet("c")]],
	["outside the scope", [outlet("a"), outlet("d"), outlet("c")]],
])("a stored outlet that is %s is dropped", async (what, outlets) => {
	const [tab, browser] = [memoryStorage(), memoryStorage()];
	const stored = what === "outside the scope" ? "d" : "b";
	tab.set(key, stored);
	browser.set(keptKey, stored);
	const client = await startClient(outlets, { tab, browser, claims: bound });
	expect(client.getState()).toMatchObject({ outlet: { kind: "choosing" } });
	expect([tab.get(key), browser.get(keptKey)]).toEqual([undefined, undefined]);
});

test("the menu of outlets has those in the scope", async () => {
	const claims = { outlet_scope: "unselected", outlet_ids: ["a", "b"] };
	const outlets = [outlet("a"), outlet("old", "archived"), outlet("b"), outlet("c")];
	const client = await startClient(outlets, { claims });
	expect((await client.switchableOutlets()).map(({ id }) => id)).toEqual(["a", "b"]);
});

test("all outlets can be selected only with the scope all, and a page reload restores this", async () => {
	const tab = memoryStorage();
	const claims = { outlet_scope: "all" };
	const client = await startClient([outlet("a"), outlet("b")], { tab, claims });
	client.chooseOutlet("all");
	expect(await client.call("/ward")).toEqual({ outlet: null });
	const reloaded = await startClient([outlet("a"), outlet("b")], { tab, claims });
	expect(reloaded.getState()).toMatchObject({ outlet: { kind: "all" } });
	const other = await startClient([outlet("a"), outlet("b")], { tab, claims: bound });
	expect(other.getState()).toMatchObject({ outlet: { kind: "choosing" } });
	expect(() => other.chooseOutlet("all")).toThrow("outlet_forbidden");
});

test("last used outlets come first after a restart, and a sign-out removes all keys of the service", async () => {
	const [tab, browser] = [memoryStorage(), memoryStorage()];
	(await startClient([outlet("a"), outlet("b")], { browser, claims: bound })).chooseOutlet("b");
	browser.remove(keptKey);
	const client = await startClient([outlet("a"), outlet("b")], { tab, browser, claims: bound });
	expect(client.getState()).toMatchObject({
		outlet: { kind: "choosing", outlets: [{ id: "b" }, { id: "a" }] },
	});
	client.chooseOutlet("a");
	expect(client.lastUsedOutletIds("uhai")).toEqual(["a", "b"]);
	await client.signOut();
	expect(tab.get(key)).toBeUndefined();
	expect(client.lastUsedOutletIds("uhai")).toEqual([]);
});

test("the last used outlets are stored per tenant", async () => {
	const browser = memoryStorage();
	(await startClient([outlet("a"), outlet("b")], { browser })).chooseOutlet("b");
	const line = "GET /api/v1/tenants/kahawa/outlets";
	server.on(line, { body: [outlet("k"), outlet("b")] });
	const client = await startClient([outlet("a")], { browser });
	expect((await client.listOutlets("kahawa")).map(({ id }) => id)).toEqual(["k", "b"]);
	expect(client.lastUsedOutletIds("kahawa")).toEqual([]);
});

const meLine = "GET /api/v1/auth/me";
const serviceMeLine = "GET /api/v1/uhai/hospital/auth/me";
const outletsSentTo = (line: string) =>
	server.asked.filter((asked) => asked.line === line).map(({ headers }) => headers["x-outlet-id"]);

test.each([
	["the stored outlet", { outlet_scope: "unselected", outlet_ids: ["a", "b"] }, "b"],
	["the stored outlet of a customer without assigned outlets", { outlet_scope: "unselected" }, "b"],
	["the outlet of the session", { outlet_scope: "selected", outlet_id: "a" }, "a"],
	[
		"no outlet if the stored outlet is outside the scope",
		{ outlet_scope: "unselected", outlet_ids: ["a"] },
		undefined,
	],
] as const)("both auth/me requests send %s", async (_what, claims, sent) => {
	const tab = memoryStorage();
	tab.set(key, "b");
	const me = { outlet_id: "outlet_id" in claims ? claims.outlet_id : "" };
	await startClient([outlet("a"), outlet("b")], { tab, me, claims });
	expect(outletsSentTo(meLine)).toEqual([sent]);
	expect(outletsSentTo(serviceMeLine)).toEqual([sent]);
});

test("only outlets in the scope are offered and can be selected", async () => {
	const claims = { outlet_scope: "unselected", outlet_ids: ["a", "b"] };
	const client = await startClient([outlet("a"), outlet("b"), outlet("c")], { claims });
	expect(client.getState()).toMatchObject({
		outlet: { kind: "choosing", outlets: [{ id: "a" }, { id: "b" }] },
	});
	expect(() => client.chooseOutlet("c")).toThrow("outlet_forbidden");
	client.chooseOutlet("b");
	expect(await client.call("/ward")).toEqual({ outlet: "b" });
});

test.each([meLine, serviceMeLine])(
	"an outlet that %s refuses is removed, and the request is repeated without it",
	async (line) => {
		const tab = memoryStorage();
		tab.set(key, "b");
		const { on } = server;
		server.on = (at, handler) => void (at === line ? undefined : on(at, handler));
		on(line, ({ headers }) =>
			headers["x-outlet-id"] === undefined
				? { body: identity }
				: { status: 403, body: { error: "no", code: "outlet_forbidden" } },
		);
		const client = await startClient([outlet("a"), outlet("b")], { tab, claims: bound });
		expect(outletsSentTo(line)).toEqual(["b", undefined]);
		expect(client.getState()).toMatchObject({ status: "ready", outlet: { kind: "choosing" } });
		expect(tab.get(key)).toBeUndefined();
	},
);

test("an outlet that a call is refused for is removed, and the session is reloaded without it", async () => {
	const tab = memoryStorage();
	const client = await startClient([outlet("a"), outlet("b")], { tab, claims: bound });
	client.chooseOutlet("b");
	server.on("GET /ward", { status: 403, body: { error: "no", code: "outlet_forbidden" } });
	await expect(client.call("/ward")).rejects.toMatchObject({ code: "outlet_forbidden" });
	await expect.poll(() => outletsSentTo(meLine)).toEqual([undefined, undefined]);
	await expect.poll(() => client.getState()).toMatchObject({ outlet: { kind: "choosing" } });
	expect(tab.get(key)).toBeUndefined();
});

test("a token with an outlet that the session no longer has is refreshed before other requests", async () => {
	const claims = { outlet_scope: "selected", outlet_id: "a" };
	server.on("GET /api/v1/tenants/uhai/outlets", { body: [] });
	await startClient([outlet("a"), outlet("b")], { claims });
	expect(server.lines().filter((line) => line === "POST /api/v1/auth/refresh")).toHaveLength(2);
});
