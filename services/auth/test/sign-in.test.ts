import { expect, test } from "vitest";
import { bearer, claimsOf, openBrowser, password, setUpSignOn, startSignOn } from "./sign-on.ts";

const signOn = setUpSignOn();

const post = (payload: object, headers: Record<string, string> = {}) =>
	signOn.app.inject({ method: "POST", url: "/api/v1/auth/login", payload, headers });

test("a person signs in with e-mail and password and gets tokens, themselves, and a cookie", async () => {
	const response = await post({ email: "admin@uhai.example", password, tenant_slug: "" });
	expect(response.statusCode).toBe(200);
	const body = response.json();
	expect(body).toMatchObject({
		token_type: "Bearer",
		expires_in: 21_600,
		user: { email: "admin@uhai.example", tenant_id: signOn.tenants.get("uhai"), roles: ["admin"] },
	});
	expect(body.access_token.split(".")).toHaveLength(3);
	for (const name of ["lango", "lango-device"])
		expect(response.cookies).toContainEqual(
			expect.objectContaining({ name, httpOnly: true, sameSite: "Lax", path: "/" }),
		);
	expect(response.headers["cache-control"]).toBe("no-store");
});

test("the address is compared without regard to case", async () => {
	expect((await post({ email: "Admin@UHAI.example", password })).statusCode).toBe(200);
});

test("the cookie is new at every sign-in", async () => {
	const values = await Promise.all(
		[1, 2].map(async () => (await post({ email: "admin@uhai.example", password })).cookies[0]?.value),
	);
	expect(new Set(values).size).toBe(2);
});

test("a sign-in with several outlets returns them for a selection", async () => {
	const response = await post({ email: "nurse@uhai.example", password });
	expect(response.json()).toMatchObject({
		requiresOutletSelection: true,
		ssoExchangeToken: expect.any(String),
		outletIds: expect.any(Array),
	});
	const { access_token: token, outletIds } = response.json();
	expect(outletIds).toHaveLength(2);
	const headers = bearer(token);
	const url = "/api/v1/auth/outlet-exchange";
	expect((await signOn.app.inject({ method: "POST", url, headers })).json().outletIds).toEqual(outletIds);
});

test.each([
	["an unknown person", { email: "unknown@uhai.example", password }],
	["a wrong password", { email: "admin@uhai.example", password: "wrong-password" }],
	[
		"a tenant the person does not belong to",
		{ email: "admin@uhai.example", password, tenant_slug: "kahawa" },
	],
	["a tenant that does not exist", { email: "admin@uhai.example", password, tenant_slug: "nowhere" }],
])("%s is refused with the one answer for all of these", async (_what, payload) => {
	const sessions = await countSessions();
	const response = await post(payload);
	expect(response.statusCode).toBe(401);
	expect(response.json()).toEqual({
		error: "The e-mail address or the password is not correct.",
		code: "invalid_credentials",
		request_id: expect.any(String),
	});
	expect(response.cookies).toEqual([]);
	expect(await countSessions()).toBe(sessions);
});

async function countSessions() {
	const [row] = await signOn.db.query<{ count: bigint }>("select count(*) from browser_sessions");
	return row?.count;
}

test.each([
	["password", { email: "admin@uhai.example" }],
	["email", { password }],
	["user", { email: "admin@uhai.example", password, user: "x" }],
])("a body that is not as it must be is refused, naming %s", async (field, payload) => {
	const response = await post(payload);
	expect(response.statusCode).toBe(400);
	expect(response.json()).toMatchObject({ code: "invalid_input", field });
});

test("a client that does not exist is refused, naming the field", async () => {
	const response = await post({ email: "admin@uhai.example", password, client_id: "unknown-client" });
	expect(response.statusCode).toBe(400);
	expect(response.json()).toMatchObject({ code: "client_unknown", field: "client_id" });
});

test("a confidential client is refused, naming the field, without a session", async () => {
	const sessions = await countSessions();
	const response = await post({ email: "admin@uhai.example", password, client_id: "demo-backend" });
	expect(response.statusCode).toBe(400);
	expect(response.json()).toMatchObject({ code: "client_confidential", field: "client_id" });
	expect(response.cookies).toEqual([]);
	expect(await countSessions()).toBe(sessions);
	const guessed = { email: "admin@uhai.example", password: "wrong-password", client_id: "demo-backend" };
	expect((await post(guessed)).json().code).toBe("invalid_credentials");
});

test("a client gets only its allowed scopes, and no refresh token without offline_access", async () => {
	await signOn.db.query(
		`insert into clients (client_id, name, redirect_uris, scopes, public) values
		   ('narrow', 'Narrow', '{https://narrow.example/cb}', '{openid,email}', true),
		   ('narrower', 'Narrower', '{https://narrow.example/cb}', '{}', true)`,
	);
	const login = async (client_id: string) =>
		(await post({ email: "admin@uhai.example", password, client_id })).json();
	const narrow = await login("narrow");
	expect(narrow).toMatchObject({ scope: "openid email", id_token: expect.any(String) });
	expect(claimsOf(narrow.access_token)).toMatchObject({ scope: "openid email", client_id: "narrow" });
	expect(narrow).not.toHaveProperty("refresh_token");
	const narrower = await login("narrower");
	expect(narrower.scope).toBe("");
	expect(narrower).not.toHaveProperty("id_token");
	expect((await login("auth-ui")).scope).toBe("openid profile email offline_access lango.api");
	const [row] = await signOn.db.query<{ count: number }>(
		`select count(*)::int from (select find_session(tenant_of_session(id::uuid), id::uuid, $2) as f from unnest($1::text[]) id) s where (s.f).refresh_salt is null`,
		[[narrow, narrower].map(({ access_token }) => claimsOf(access_token).sid), signOn.now.at],
	);
	expect(row?.count).toBe(2);
});

test("a removed client is refused like an unknown one", async () => {
	await signOn.db.query(
		"insert into clients (client_id, name, redirect_uris, scopes, public) values ('gone', 'Gone', '{https://gone.example/cb}', '{openid}', true)",
	);
	const login = () => post({ email: "admin@uhai.example", password, client_id: "gone" });
	expect((await login()).statusCode).toBe(200);
	await signOn.db.query("delete from clients where client_id = 'gone'");
	const response = await login();
	expect(response.json()).toMatchObject({ code: "client_unknown", field: "client_id" });
	expect(response.statusCode).toBe(400);
});

test("a page of an unknown origin cannot sign in", async () => {
	const response = await post({ email: "admin@uhai.example", password }, { origin: "https://evil.example" });
	expect(response.statusCode).toBe(403);
	expect(response.json().code).toBe("origin_forbidden");
});

test("a request with a cookie and no origin is refused: a browser sends both", async () => {
	const response = await post({ email: "admin@uhai.example", password }, { cookie: "lango=x" });
	expect(response.json().code).toBe("origin_forbidden");
});

test("failures of one account from one address are limited, with Retry-After", async () => {
	const fail = () => post({ email: "cashier@kahawa.example", password: "wrong-password" });
	for (let attempt = 0; attempt < 10; attempt += 1) expect((await fail()).statusCode).toBe(401);
	const refused = await fail();
	expect(refused.statusCode).toBe(429);
	expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
	expect(refused.json().code).toBe("too_many_attempts");
	expect((await post({ email: "owner@kahawa.example", password })).statusCode).toBe(200);
});

test("sign-in to an inactive tenant is refused, and only a correct password gets that answer", async () => {
	await signOn.db.query("update tenants set status = 'suspended' where slug = 'duka'");
	expect((await post({ email: "owner@duka.example", password: "wrong-password" })).statusCode).toBe(401);
	const response = await post({ email: "owner@duka.example", password });
	expect(response.statusCode).toBe(403);
	expect(response.json().code).toBe("tenant_inactive");
	await signOn.db.query("update tenants set status = 'active' where slug = 'duka'");
});

test("each sign-in leaves one auth.user.login in the outbox, and a refused one none", async () => {
	const count = async () => {
		const [row] = await signOn.db.query<{ count: bigint }>(
			"select count(*) from outbox where type = 'auth.user.login'",
		);
		return Number(row?.count);
	};
	const before = await count();
	await openBrowser(signOn.app).signIn("admin@uhai.example");
	await post({ email: "admin@uhai.example", password: "wrong-password" });
	expect(await count()).toBe(before + 1);
	const [event] = await signOn.db.query<{ envelope: object }>(
		"select envelope from outbox where type = 'auth.user.login' order by position desc limit 1",
	);
	expect(event?.envelope).toMatchObject({
		specversion: "1.0",
		source: "/auth",
		type: "auth.user.login",
		tenantslug: "uhai",
		data: { email: "admin@uhai.example", roles: ["admin"], status: "active", client_id: "auth-ui" },
	});
});

test("every demo person was announced by auth.user.created", async () => {
	const rows = await signOn.db.query<{ email: string }>(
		"select envelope->'data'->>'email' as email from outbox where type = 'auth.user.created' order by 1",
	);
	expect(rows.map(({ email }) => email)).toEqual([
		"admin@uhai.example",
		"cashier@kahawa.example",
		"nurse@uhai.example",
		"owner@duka.example",
		"owner@kahawa.example",
		"pharm@uhai.example",
		"root@lango.example",
	]);
});

test("passwords are stored as argon2id with the parameters of the design, and never logged", async () => {
	const rows = await signOn.db.query<{ secret: string }>("select secret from credentials");
	for (const { secret } of rows) expect(secret).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
	expect(signOn.logged.join("\n")).not.toContain(password);
});

test("a hash of another cost is renewed at the next sign-in", async () => {
	const weak = "$argon2id$v=19$m=8192,t=1,p=1$";
	const { argon2Sync } = await import("node:crypto");
	const nonce = Buffer.alloc(16, 3);
	const tag = argon2Sync("argon2id", {
		message: Buffer.from(password),
		nonce,
		memory: 8_192,
		passes: 1,
		parallelism: 1,
		tagLength: 32,
	});
	const bare = (bytes: Buffer) => bytes.toString("base64").replaceAll("=", "");
	await signOn.db.query(
		"update credentials set secret = $1 where user_id = (select id from users where email = 'root@lango.example')",
		[`${weak}${bare(nonce)}$${bare(tag)}`],
	);
	expect((await post({ email: "root@lango.example", password })).statusCode).toBe(200);
	const [row] = await signOn.db.query<{ secret: string }>(
		"select secret from credentials where user_id = (select id from users where email = 'root@lango.example')",
	);
	expect(row?.secret).toMatch(/m=19456/);
	expect((await post({ email: "root@lango.example", password })).statusCode).toBe(200);
});

test.each(["", "production", "staging"])(
	"cookies are Secure and bound to the host when NODE_ENV is %j, over plain http too",
	async (NODE_ENV) => {
		const other = await startSignOn({ NODE_ENV });
		const payload = { email: "admin@uhai.example", password, tenant_slug: "" };
		const { cookies } = await other.app.inject({ method: "POST", url: "/api/v1/auth/login", payload });
		const warned = other.logged.some((line) => line.includes("AUTH_URL is plain http"));
		await other.close();
		expect(cookies.map(({ name, secure }) => [name, secure])).toEqual([
			["__Host-lango", true],
			["__Host-lango-device", true],
		]);
		expect(warned).toBe(true);
	},
);

test("outside development a start warns of front ends that are registered on localhost, by their settings", async () => {
	const other = await startSignOn({ NODE_ENV: "production", CONSOLE_UI_URL: "https://console.example" });
	await other.close();
	const warning = other.logged.find((line) => line.includes("front ends are registered on localhost"));
	const { settings } = JSON.parse(warning ?? "{}");
	expect(settings).toContain("ORDERING_UI_URL");
	expect(settings).not.toContain("CONSOLE_UI_URL");
	expect(signOn.logged.join("\n")).not.toContain("front ends are registered on localhost");
});
