import { routesOfDocument } from "@lango/testkit";
import type { InjectOptions } from "fastify";
import { beforeAll, expect, test } from "vitest";
import { fresh, openOffice } from "./office.ts";
import {
	authorizeUrl,
	backend,
	bearer,
	claimsOf,
	issuer,
	location,
	obtainCode,
	obtainTokens,
	openBrowser,
	postToken,
	setUpSignOn,
	tradeCode,
	unknownId,
} from "./sign-on.ts";

// The authority of registered clients: what their tokens say, and which routes accept them.

const callback = "https://app.example/auth/callback";
const identity = ["openid", "profile", "email", "offline_access"];
const signOn = setUpSignOn();
const office = openOffice(signOn);
let root: string;
beforeAll(async () => {
	root = await office.tokenOf("root@lango.example");
});

const admin = (method: "POST" | "PATCH", path: string, body: object) =>
	office.call(method, `/api/v1/admin/${path}`, { token: root, body });

/** Registers a client as the specification shows it (spec §4.1). */
async function register(scopes: readonly string[] = identity, more: object = {}): Promise<string> {
	const client_id = fresh("app");
	const body = { client_id, name: "App", redirect_uris: [callback], scopes, public: true, ...more };
	expect((await admin("POST", "clients", body)).statusCode).toBe(201);
	return client_id;
}

type Tokens = { access_token: string; id_token?: string; refresh_token: string; scope: string };

type Walk = { email?: string; claims?: object; client_secret?: string };

async function walk(
	client_id: string,
	scope: string,
	{ email = "admin@uhai.example", claims, client_secret }: Walk = {},
): Promise<Tokens> {
	const browser = openBrowser(signOn.app);
	await browser.signIn(email);
	const asked = { client_id, redirect_uri: callback, scope, claims: claims && JSON.stringify(claims) };
	const code = await obtainCode(browser, asked);
	const secret = client_secret === undefined ? {} : { client_secret };
	const response = await tradeCode(signOn.app, code, { client_id, redirect_uri: callback, ...secret });
	expect(response.statusCode).toBe(200);
	return response.json();
}

const call = (method: string, url: string, token?: string) =>
	signOn.app.inject({
		method: method as NonNullable<InjectOptions["method"]>,
		url,
		...(token !== undefined && { headers: bearer(token) }),
	});

/** The claims that every access token of a person has. */
const standard = [..."iss sub aud exp iat jti client_id idtyp scope sid".split(" ")];
const api = [
	..."tenant_id tenant_slug user_status roles permissions".split(" "),
	..."outlet_id outlet_code outlet_scope is_hq_user products".split(" "),
];

test.each([
	["openid", []],
	["openid email", ["email"]],
	["openid profile", ["name"]],
	["openid tenant", ["tenant_id", "tenant_slug"]],
	["openid roles", ["user_status", "roles", "permissions"]],
	["openid lango.api", api],
	["openid profile email lango.api", [...api, "email", "name"]],
])(
	"with the scope %s, an access token of a third-party client opens no more than %j",
	async (scope, opened) => {
		const client_id = await register([...identity, "tenant", "roles", "lango.api"]);
		const tokens = await walk(client_id, scope);
		const claims = claimsOf(tokens.access_token);
		expect(tokens.scope).toBe(scope);
		expect(claims).toMatchObject({ client_id, scope, idtyp: "user" });
		expect(Object.keys(claims).toSorted()).toEqual([...standard, ...opened].toSorted());
	},
);

/** The claims of the ID token and of userinfo that scopes open; those of the protocol are left out. */
const identityClaims = ["email", "email_verified", "name", "tenant_id", "tenant_slug", "roles"];
const openedIn = (claims: object) => Object.keys(claims).filter((name) => identityClaims.includes(name));

test.each([
	["openid", []],
	["openid email", ["email", "email_verified"]],
	["openid profile", ["name"]],
	["openid tenant", ["tenant_id", "tenant_slug"]],
	["openid roles", ["roles"]],
	["openid lango.api", []],
])("with the scope %s, the ID token and userinfo open %j", async (scope, opened) => {
	const client = await register([...identity, "tenant", "roles", "lango.api"]);
	const { access_token, id_token = "" } = await walk(client, scope);
	const info = (await call("GET", "/api/v1/userinfo", access_token)).json();
	expect(openedIn(claimsOf(id_token))).toEqual(opened);
	expect(openedIn(info)).toEqual(opened);
	const known = { tenant_slug: "uhai", roles: ["admin"], email: "admin@uhai.example" };
	for (const [name, value] of Object.entries(known)) if (name in info) expect(info[name]).toEqual(value);
});

test("the claims parameter returns no claim whose scope the client does not have or has lost", async () => {
	const names = Object.fromEntries(identityClaims.map((name) => [name, null]));
	const claims = { id_token: names, userinfo: names };
	const without = await walk(await register(["openid"]), "openid", { claims });
	expect(openedIn(claimsOf(without.id_token ?? ""))).toEqual([]);
	expect(openedIn((await call("GET", "/api/v1/userinfo", without.access_token)).json())).toEqual([]);

	const client = await register(["openid", "offline_access", "email", "roles"]);
	const given = await walk(client, "openid offline_access", { claims });
	const opened = ["email", "email_verified", "roles"];
	expect(openedIn(claimsOf(given.id_token ?? ""))).toEqual(opened);
	expect(openedIn((await call("GET", "/api/v1/userinfo", given.access_token)).json())).toEqual(opened);
	await admin("PATCH", `clients/${client}`, { scopes: ["openid", "offline_access"] });
	const next = (await signOn.refresh(given.refresh_token, { client_id: client })).json<Tokens>();
	expect(openedIn(claimsOf(next.id_token ?? ""))).toEqual([]);
	expect(openedIn((await call("GET", "/api/v1/userinfo", given.access_token)).json())).toEqual([]);
});

test("a person who waits for approval has no roles in the ID token and userinfo", async () => {
	const firm = await office.found();
	const person = await office.join(firm.slug);
	const client = await register([...identity, "roles"]);
	const { access_token, id_token = "" } = await walk(client, "openid roles", { email: person.email });
	expect(claimsOf(id_token)["roles"]).toEqual([]);
	expect((await call("GET", "/api/v1/userinfo", access_token)).json().roles).toEqual([]);
});

test("a client registered as in the specification is refused by every guarded route, with the reason", async () => {
	const { access_token: token } = await walk(await register(), "openid");
	// Userinfo requires openid and no more; everybody may sign out.
	const exempt = new Set(["GET /api/v1/userinfo", "POST /api/v1/userinfo", "POST /api/v1/auth/logout"]);
	let refused = 0;
	for (const { method, url } of routesOfDocument(signOn.app.swagger(), "/api/")) {
		const address = url.replace(":slug", "uhai").replaceAll(/:\w+/g, unknownId);
		if ((await call(method, address)).headers["www-authenticate"] !== 'Bearer realm="lango"') continue;
		if (exempt.delete(`${method} ${url}`)) continue;
		const answer = await call(method, address, token);
		expect([answer.statusCode, answer.json().code], `${method} ${url}`).toEqual([403, "insufficient_scope"]);
		expect(answer.headers["www-authenticate"]).toBe('Bearer error="insufficient_scope", scope="lango.api"');
		refused += 1;
	}
	expect(exempt.size).toBe(0);
	expect(refused).toBeGreaterThan(50);
	const info = await call("GET", "/api/v1/userinfo", token);
	expect(info.json()).toEqual({ sub: claimsOf(token).sub });
	expect((await call("POST", "/api/v1/auth/logout", token)).json()).toEqual({ revoked: true });
	expect((await call("GET", "/api/v1/userinfo", token)).statusCode).toBe(401);
});

test("a client that was given lango.api and asks for it may use the routes", async () => {
	const client = await register([...identity, "lango.api"]);
	const { access_token: token } = await walk(client, "openid lango.api");
	expect((await call("GET", "/api/v1/auth/me", token)).json()).toMatchObject({ tenant_slug: "uhai" });
	expect((await call("GET", "/api/v1/tenants/uhai/members", token)).statusCode).toBe(200);
	const { access_token: without } = await walk(client, "openid");
	expect((await call("GET", "/api/v1/auth/me", without)).json().code).toBe("insufficient_scope");
});

test.each(["lango.api", "tenant", "roles"])(
	"a client that asks for %s without being given it is answered invalid_scope",
	async (scope) => {
		const browser = openBrowser(signOn.app);
		await browser.signIn("admin@uhai.example");
		const client_id = await register();
		const asked = { client_id, redirect_uri: callback, scope: `openid ${scope}` };
		const answer = await browser.get(authorizeUrl(asked));
		expect(location(answer).searchParams.get("error")).toBe("invalid_scope");
	},
);

test("a first-party client has lango.api and every claim without asking, also after a refresh for less", async () => {
	const tokens = await obtainTokens(signOn.app, "admin@uhai.example", { scope: "openid offline_access" });
	const all = [...standard, ...api, "email", "name"];
	expect(Object.keys(claimsOf(tokens.access_token))).toEqual(expect.arrayContaining(all));
	expect(claimsOf(tokens.access_token).scope).toBe("openid offline_access lango.api");
	const less = await signOn.refresh(tokens.refresh_token, { scope: "openid" });
	expect(less.json()).toMatchObject({ scope: "openid lango.api" });
	expect(Object.keys(claimsOf(less.json().access_token))).toEqual(expect.arrayContaining(all));
	const refreshed = await signOn.refresh(less.json().refresh_token, { scope: "openid lango.api" });
	expect(refreshed.json()).toMatchObject({ scope: "openid lango.api" });
});

test("a refresh is limited to the scopes of its session, also if the client has more now", async () => {
	const client = await register([...identity, "tenant"]);
	const first = await walk(client, "openid offline_access tenant");
	await admin("PATCH", `clients/${client}`, { scopes: [...identity, "tenant", "lango.api"] });
	const next = (await signOn.refresh(first.refresh_token, { client_id: client })).json<Tokens>();
	expect(next.scope).toBe("openid offline_access tenant");
	expect(claimsOf(next.access_token)).not.toHaveProperty("roles");
	const more = await signOn.refresh(next.refresh_token, { client_id: client, scope: "openid lango.api" });
	expect(more.json()).toMatchObject({ error: "invalid_scope" });
});

const withApi = [...identity, "lango.api"];
test.each([
	["first_party", { scopes: identity, first_party: true }, { first_party: false }],
	["first_party and keeps lango.api", { scopes: withApi, first_party: true }, { first_party: false }],
	["lango.api", { scopes: withApi }, { scopes: identity }],
	[
		"first_party and lango.api at once",
		{ scopes: withApi, first_party: true },
		{ first_party: false, scopes: identity },
	],
])(
	"a client that loses %s loses its sessions, and the audit names the change",
	async (_what, made, change) => {
		const client = await register(made.scopes, made);
		const asked = "first_party" in made ? "openid offline_access" : "openid offline_access lango.api";
		const tokens = await walk(client, asked);
		expect((await call("GET", "/api/v1/auth/me", tokens.access_token)).statusCode).toBe(200);
		signOn.now.forward(1); // Entries of different tenants at the same time are in no order on a cluster.
		const changed = await admin("PATCH", `clients/${client}`, change);
		expect(changed.json()).toMatchObject(change);
		expect((await call("GET", "/api/v1/auth/me", tokens.access_token)).statusCode).toBe(401);
		expect((await signOn.refresh(tokens.refresh_token, { client_id: client })).json()).toMatchObject({
			error: "invalid_grant",
		});
		const { items } = (await office.call("GET", "/api/v1/admin/audit?limit=1", { token: root })).json();
		expect(items[0]).toMatchObject({ action: "client.changed", subject: client, after: change });
	},
);

test("a first-party client that loses lango.api alone keeps its sessions: its tokens carry it without the scope", async () => {
	const client = await register(withApi, { first_party: true });
	const tokens = await walk(client, "openid offline_access");
	await admin("PATCH", `clients/${client}`, { scopes: identity });
	expect((await call("GET", "/api/v1/auth/me", tokens.access_token)).statusCode).toBe(200);
	const refreshed = await signOn.refresh(tokens.refresh_token, { client_id: client });
	expect(refreshed.json().scope).toBe("openid offline_access lango.api");
});

test.each([
	["email", ["email"]],
	["profile", ["name"]],
	["tenant", ["tenant_id", "tenant_slug"]],
	["roles", ["roles", "permissions", "user_status"]],
])(
	"the next token of a client that loses the scope %s lacks %j; its sessions go on",
	async (scope, claims) => {
		const client = await register([...identity, "tenant", "roles"]);
		const first = await walk(client, `openid offline_access ${scope}`);
		expect(Object.keys(claimsOf(first.access_token))).toEqual(expect.arrayContaining(claims));
		const scopes = [...identity, "tenant", "roles"].filter((one) => one !== scope);
		await admin("PATCH", `clients/${client}`, { scopes });
		const next = (await signOn.refresh(first.refresh_token, { client_id: client })).json<Tokens>();
		expect(next.scope).toBe("openid offline_access");
		for (const claim of claims) {
			expect(claimsOf(next.access_token)).not.toHaveProperty(claim);
			expect(claimsOf(next.id_token ?? "")).not.toHaveProperty(claim);
		}
	},
);

test("a client that loses offline_access cannot refresh, and is given no refresh token", async () => {
	const client_secret = "0123456789abcdef0123456789abcdef";
	const client_id = await register(identity, { public: false, client_secret });
	const browser = openBrowser(signOn.app);
	await browser.signIn("admin@uhai.example");
	const asked = { client_id, redirect_uri: callback, scope: "openid offline_access" };
	const code = await obtainCode(browser, asked);
	const { refresh_token } = await walk(client_id, asked.scope, { client_secret });
	const introspect = async () =>
		(await postTo("/api/v1/introspect", { client_id, client_secret, token: refresh_token })).json();
	expect(await introspect()).toMatchObject({ active: true });
	await admin("PATCH", `clients/${client_id}`, { scopes: ["openid"] });
	const refused = await signOn.refresh(refresh_token, { client_id, client_secret });
	expect([refused.statusCode, refused.json().error]).toEqual([400, "invalid_grant"]);
	expect(await introspect()).toEqual({ active: false });
	const late = await tradeCode(signOn.app, code, { client_id, redirect_uri: callback, client_secret });
	expect(late.json()).toMatchObject({ scope: "openid" });
	expect(late.json()).not.toHaveProperty("refresh_token");
});

test("a program that loses a permission gets no token with it", async () => {
	const client_id = fresh("program");
	const scopes = ["catalog:view", "orders:read"];
	const made = await admin("POST", "clients", {
		client_id,
		name: "P",
		redirect_uris: [],
		scopes,
		public: false,
	});
	const { client_secret } = made.json<{ client_secret: string }>();
	const ask = async (more: object = {}) =>
		(
			await postToken(signOn.app, { grant_type: "client_credentials", client_id, client_secret, ...more })
		).json();
	expect((await ask()).scope).toBe("catalog:view orders:read");
	await admin("PATCH", `clients/${client_id}`, { scopes: ["catalog:view"] });
	expect((await ask()).scope).toBe("catalog:view");
	expect((await ask({ scope: "orders:read" })).error).toBe("invalid_scope");
});

test("introspection returns the claims of the token, and no more", async () => {
	const { access_token: token } = await walk(await register(), "openid");
	const answer = await postTo("/api/v1/introspect", { ...backend, token });
	expect(answer.json()).toEqual({ active: true, token_type: "Bearer", ...claimsOf(token) });
});

const postTo = (url: string, members: Record<string, string>) =>
	signOn.app.inject({
		method: "POST",
		url,
		headers: { "content-type": "application/x-www-form-urlencoded" },
		payload: new URLSearchParams(members).toString(),
	});

test("a client without lango.api gets no outlet claims, and its session has no outlet", async () => {
	const client = await register([...identity, "tenant", "roles", "lango.api"]);
	const outlets = ["requiresOutletSelection", "ssoExchangeToken", "outletIds"];
	const without = await walk(client, "openid tenant roles", { email: "nurse@uhai.example" });
	for (const member of outlets) expect(without).not.toHaveProperty(member);
	expect(claimsOf(without.access_token)).toMatchObject({ tenant_slug: "uhai", roles: ["staff"] });
	const withApi = await walk(client, "openid lango.api", { email: "nurse@uhai.example" });
	for (const member of outlets) expect(withApi).toHaveProperty(member);
});

test("a refresh answers an ID token to registered clients, and to the platform's own only if they ask", async () => {
	const client = await register();
	const { refresh_token } = await walk(client, "openid offline_access");
	const answer = (await signOn.refresh(refresh_token, { client_id: client })).json<Tokens>();
	expect(claimsOf(answer.id_token ?? "")).toMatchObject({ iss: issuer, aud: client });
	expect(claimsOf(answer.id_token ?? "")).not.toHaveProperty("nonce");
	await admin("PATCH", `clients/${client}`, { id_token_at_refresh: false });
	const off = (await signOn.refresh(answer.refresh_token, { client_id: client })).json<Tokens>();
	expect(off).not.toHaveProperty("id_token");
	const asked = (
		await signOn.refresh(off.refresh_token, { client_id: client, scope: "openid" })
	).json<Tokens>();
	expect(asked).toHaveProperty("id_token");
	const own = await obtainTokens(signOn.app, "admin@uhai.example");
	expect((await signOn.refresh(own.refresh_token)).json()).not.toHaveProperty("id_token");
});

test("the sign-on's documents name the scopes", async () => {
	const { scopes_supported } = (await call("GET", "/.well-known/openid-configuration")).json();
	expect(scopes_supported).toEqual([...identity, "tenant", "roles", "lango.api"]);
});
