import { beforeAll, expect, test } from "vitest";
import { fresh, openOffice, openSessions } from "./office.ts";
import {
	acceptedKey,
	claimsOf,
	codeOf,
	obtainCode,
	openBrowser,
	postToken,
	setUpSignOn,
	tradeCode,
} from "./sign-on.ts";

const signOn = setUpSignOn(acceptedKey);
const office = openOffice(signOn);
let root: string;
beforeAll(async () => {
	root = await office.tokenOf("root@lango.example");
});

const ask = (method: "GET" | "POST" | "PATCH" | "DELETE", path: string, body?: object) =>
	office.call(method, `/api/v1/admin/${path}`, { token: root, ...(body !== undefined && { body }) });
const client = () => ({
	client_id: fresh("app"),
	name: "An app",
	redirect_uris: ["https://app.example/auth/callback", "https://app.example/{tenant}/auth/callback"],
	scopes: ["openid", "profile", "email"],
	public: true,
});

test("a public client is registered without a secret, and people sign in to it at once", async () => {
	const body = client();
	const made = await ask("POST", "clients", body);
	expect(made.statusCode).toBe(201);
	expect(made.headers["cache-control"]).toBe("no-store");
	expect(made.json()).toEqual({
		...body,
		post_logout_redirect_uris: [],
		pkce_required: true,
		id_token_algorithm: "RS256",
		id_token_at_refresh: true,
		first_party: false,
		built_in: false,
		created_at: expect.any(String),
	});
	const browser = openBrowser(signOn.app);
	await browser.signIn("admin@uhai.example");
	const redirect_uri = "https://app.example/uhai/auth/callback";
	const code = await obtainCode(browser, { client_id: body.client_id, redirect_uri, scope: "openid" });
	const traded = await tradeCode(signOn.app, code, { client_id: body.client_id, redirect_uri });
	expect(traded.statusCode).toBe(200);
});

test("a confidential client gets a secret once, which proves it; the platform keeps its hash", async () => {
	const body = { ...client(), public: false, scopes: ["openid", "catalog:view", "orders:read"] };
	const { client_secret: secret } = (await ask("POST", "clients", body)).json();
	expect(secret).toMatch(/^[\w-]{43}$/);
	expect((await ask("GET", `clients/${body.client_id}`)).body).not.toContain("secret");
	const grant = { grant_type: "client_credentials", client_id: body.client_id };
	const token = await postToken(signOn.app, { ...grant, client_secret: secret });
	expect(token.statusCode).toBe(200);
	const asClient = await office.call("GET", "/api/v1/tenants/uhai/members", {
		token: token.json().access_token,
	});
	expect(codeOf(asClient)).toEqual([403, "forbidden"]);
	expect((await postToken(signOn.app, { ...grant, client_secret: "x".repeat(43) })).statusCode).toBe(401);
	const [row] = await signOn.db.query("select 1 from outbox where envelope::text like $1", [`%${secret}%`]);
	expect(row).toBeUndefined();
	expect((await ask("GET", "audit?limit=200")).body).not.toContain(secret);
	expect(signOn.logged.join("\n")).not.toContain(secret);
});

test("a secret given by the caller has at least 32 characters", async () => {
	const secret = "0123456789abcdef0123456789abcdef";
	const short = await ask("POST", "clients", { ...client(), public: false, client_secret: secret.slice(1) });
	expect(short.json()).toMatchObject({ code: "invalid_input", field: "client_secret" });
	const made = await ask("POST", "clients", { ...client(), public: false, client_secret: secret });
	expect(made.json().client_secret).toBe(secret);
});

test.each([
	["client_secret", { client_secret: "0123456789abcdef0123456789abcdef" }],
	["pkce_required", { pkce_required: false }],
	["redirect_uris", { redirect_uris: [] }],
	["redirect_uris.0", { redirect_uris: ["javascript:alert(1)"] }],
	["redirect_uris.1", { redirect_uris: ["https://a.example/cb", "https://a.example/cb#x"] }],
	["post_logout_redirect_uris.0", { post_logout_redirect_uris: ["http://a.example/"] }],
	["scopes.1", { scopes: ["openid", "catalog:manage"] }],
	["scopes.0", { public: false, scopes: ["auth.tenants.manage"] }],
	["scopes.0", { public: false, scopes: ["everything"] }],
	["scopes", { scopes: [] }],
	["client_id", { client_id: "an app" }],
	["name", { name: "" }],
	["id_token_algorithm", { id_token_algorithm: "none" }],
	["secret_hash", { secret_hash: "x" }],
])("a client is refused naming %s: %j", async (field, more) => {
	const response = await ask("POST", "clients", { ...client(), ...more });
	expect(response.statusCode).toBe(400);
	expect(response.json()).toMatchObject({ code: "invalid_input", field });
});

test("of several clients of one identifier at once one is registered", async () => {
	const body = client();
	const answers = await Promise.all([1, 2, 3].map(() => ask("POST", "clients", body)));
	expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([201, 409, 409]);
	expect(answers.find(({ statusCode }) => statusCode === 409)?.json().code).toBe("client_taken");
});

test("a client is changed member by member; a new secret ends the old one", async () => {
	const body = { ...client(), public: false, scopes: ["openid", "orders:read"] };
	const { client_secret: old } = (await ask("POST", "clients", body)).json();
	const path = `clients/${body.client_id}`;
	const renamed = await ask("PATCH", path, { name: "Another name" });
	expect(renamed.json()).toMatchObject({ name: "Another name", redirect_uris: body.redirect_uris });
	expect(renamed.json()).not.toHaveProperty("client_secret");
	const { client_secret: secret } = (await ask("PATCH", path, { new_secret: true })).json();
	const grant = (client_secret: string) =>
		postToken(signOn.app, { grant_type: "client_credentials", client_id: body.client_id, client_secret });
	expect((await grant(old)).statusCode).toBe(401);
	expect((await grant(secret)).statusCode).toBe(200);
	expect(codeOf(await ask("PATCH", path, { redirect_uris: ["http://evil.example/"] }))).toEqual([
		400,
		"invalid_input",
	]);
	expect(codeOf(await ask("PATCH", "clients/no-such", { name: "x" }))).toEqual([404, "client_not_found"]);
	const { items } = (await ask("GET", "audit?limit=3")).json();
	expect(items[0]).toMatchObject({
		action: "client.changed",
		subject: body.client_id,
		tenant_id: null,
		before: { name: "Another name" },
		after: { has_new_secret: true },
	});
});

test("clients are found by a part of their identifier or name, and built-in ones are marked", async () => {
	const body = { ...client(), name: "Zanzibar Ferries" };
	await ask("POST", "clients", body);
	const found = async (search: string) =>
		(await ask("GET", `clients?q=${encodeURIComponent(search)}`)).json().items;
	expect(await found("zanzibar F")).toMatchObject([{ client_id: body.client_id, built_in: false }]);
	expect((await ask("GET", "clients?q=zanzibar&limit=1&total=true")).json().total).toBe(1);
	expect(await found("CONSOLE-ui")).toMatchObject([{ client_id: "console-ui", built_in: true }]);
	expect(await found("100%_")).toEqual([]);
	expect((await found("")).length).toBeGreaterThan(10);
	const long = await ask("GET", `clients?q=${"x".repeat(101)}`);
	expect(long.json()).toMatchObject({ code: "invalid_input", field: "q" });
});

test("a public client cannot be given a secret", async () => {
	const body = client();
	await ask("POST", "clients", body);
	const response = await ask("PATCH", `clients/${body.client_id}`, { new_secret: true });
	expect(response.json()).toMatchObject({ code: "invalid_input", field: "client_secret" });
});

test("a removed client's sessions end, and it is not found; built-in clients cannot be removed", async () => {
	const body = client();
	await ask("POST", "clients", { ...body, first_party: true });
	const { access_token } = (await office.signIn("admin@uhai.example", { client_id: body.client_id })).json();
	expect((await ask("DELETE", `clients/${body.client_id}`)).statusCode).toBe(204);
	expect((await signOn.me(access_token)).statusCode).toBe(401);
	const sid = String(claimsOf(access_token).sid);
	expect(await office.events("auth.session.revoked", sid)).toHaveLength(1);
	for (const method of ["GET", "DELETE"] as const)
		expect(codeOf(await ask(method, `clients/${body.client_id}`))).toEqual([404, "client_not_found"]);
	expect(codeOf(await ask("DELETE", "clients/auth-ui"))).toEqual([409, "client_built_in"]);
});

test("all sessions of a client with more sessions than a batch end, with an event for each", async () => {
	const body = client();
	await ask("POST", "clients", body);
	await openSessions(signOn, { count: 1_001, email: "admin@uhai.example", clientId: body.client_id });
	const before = (await office.events("auth.session.revoked")).length;
	expect((await ask("DELETE", `clients/${body.client_id}`)).statusCode).toBe(204);
	expect(await office.events("auth.session.revoked")).toHaveLength(before + 1_001);
});

test("a custom scheme does not admit pages without an origin", async () => {
	const redirect_uris = ["com.example.app:/callback", "https://native.example/callback"];
	expect((await ask("POST", "clients", { ...client(), redirect_uris })).statusCode).toBe(201);
	const allowed = async (origin: string) => {
		const response = await signOn.app.inject({ url: "/api/v1/userinfo", headers: { origin } });
		return response.headers["access-control-allow-origin"];
	};
	expect(await allowed("https://native.example")).toBe("https://native.example");
	expect(await allowed("null")).toBeUndefined();
});
