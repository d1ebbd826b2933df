import { createPublicKey } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import {
	authorizeUrl,
	type Browser,
	backend,
	backendCallback,
	claimsOf,
	form,
	issuer,
	location,
	obtainCode,
	obtainTokens,
	openBrowser,
	postToken,
	setUpSignOn,
	tradeCode,
	websiteCallback,
} from "./sign-on.ts";

const signOn = setUpSignOn();
let browser: Browser;
beforeAll(async () => {
	browser = openBrowser(signOn.app);
	await browser.signIn("admin@uhai.example");
});

test("a code with its verifier is exchanged for access, ID and refresh tokens", async () => {
	const response = await tradeCode(signOn.app, await obtainCode(browser));
	expect(response.statusCode).toBe(200);
	expect(response.headers["cache-control"]).toBe("no-store");
	expect(response.json()).toEqual({
		access_token: expect.any(String),
		id_token: expect.any(String),
		refresh_token: expect.any(String),
		token_type: "Bearer",
		expires_in: 21_600,
		scope: "openid profile email offline_access lango.api",
	});
});

test("the access token has the claims of spec §2.3, of the right types, from what is recorded", async () => {
	signOn.subscriptions.answers.set(signOn.tenants.get("uhai") ?? "", {
		tenant_id: signOn.tenants.get("uhai"),
		status: "ACTIVE",
		plan: "PROFESSIONAL",
		features: ["customer_portal"],
		limits: { max_riders: 100 },
		products: ["hospital", "auth"],
		expires_at: "2026-04-01T00:00:00.000Z",
		expiry: 1_775_001_600,
		access: "full",
		grace_until: null,
		trial_end: null,
		pending_change: null,
		version: 1,
		next_change_at: null,
	});
	signOn.now.forward(61);
	const { access_token: token } = await obtainTokens(signOn.app, "admin@uhai.example");
	const seconds = Math.floor(signOn.now.at.getTime() / 1_000);
	expect(claimsOf(token)).toEqual({
		iss: issuer,
		sub: expect.stringMatching(/^[0-9a-f-]{36}$/),
		aud: "lango",
		iat: seconds,
		exp: seconds + 21_600,
		jti: expect.any(String),
		sid: expect.any(String),
		client_id: "cafe-website",
		idtyp: "user",
		scope: "openid profile email offline_access lango.api",
		tenant_id: signOn.tenants.get("uhai"),
		tenant_slug: "uhai",
		email: "admin@uhai.example",
		name: "Asha Mwangi",
		user_status: "active",
		roles: ["admin"],
		permissions: expect.arrayContaining(["auth.users.view", "catalog:manage"]),
		outlet_id: "",
		outlet_code: "",
		is_hq_user: true,
		outlet_scope: "all",
		products: ["hospital", "auth"],
		sub_plan: "PROFESSIONAL",
		sub_status: "ACTIVE",
		sub_features: ["customer_portal"],
		sub_limits: { max_riders: 100 },
		sub_expires: 1_775_001_600,
	});
	const header = JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString());
	expect(header).toEqual({ alg: "ES256", typ: "at+jwt", kid: expect.any(String) });
	expect(Buffer.byteLength(token)).toBeLessThan(2_048);
});

test("the key set publishes what the tokens are signed with, and no private member", async () => {
	const { keys } = (await signOn.app.inject("/.well-known/jwks.json")).json<{
		keys: Array<Record<string, string>>;
	}>();
	const { access_token, id_token } = await obtainTokens(signOn.app, "admin@uhai.example");
	for (const token of [access_token, id_token]) {
		const { kid } = JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString());
		expect(keys.map((key) => key.kid)).toContain(kid);
	}
	for (const key of keys) {
		expect(Object.keys(key)).not.toEqual(expect.arrayContaining(["d"]));
		expect(createPublicKey({ key, format: "jwk" }).type).toBe("public");
	}
});

test("the id token is small, signed RS256, and carries nonce, auth_time, at_hash and sid", async () => {
	const { id_token, access_token } = await obtainTokens(signOn.app, "admin@uhai.example", { nonce: "n-77" });
	expect(claimsOf(id_token)).toMatchObject({
		iss: issuer,
		aud: "cafe-website",
		nonce: "n-77",
		auth_time: expect.any(Number),
		at_hash: expect.stringMatching(/^[\w-]{22}$/),
		sid: claimsOf(access_token).sid,
		amr: ["pwd"],
		email: "admin@uhai.example",
		email_verified: true,
		name: "Asha Mwangi",
	});
	expect(claimsOf(id_token)).not.toHaveProperty("permissions");
});

test("without openid there is no id token, without offline_access no refresh token", async () => {
	const tokens = await obtainTokens(signOn.app, "admin@uhai.example", { scope: "email" });
	expect(tokens).not.toHaveProperty("id_token");
	expect(tokens).not.toHaveProperty("refresh_token");
	const session = await signOn.db.query<{ count: bigint }>("select count(*) from sessions");
	expect(session).toHaveLength(1);
});

test("a code and no grant_type means the code grant; without both grant_type is missing", async () => {
	const members = async () => {
		const { code, verifier } = await obtainCode(browser);
		return { code, code_verifier: verifier, client_id: "cafe-website", redirect_uri: websiteCallback };
	};
	expect((await postToken(signOn.app, await members())).statusCode).toBe(200);
	expect((await postToken(signOn.app, { ...(await members()), grant_type: "" })).statusCode).toBe(200);
	expect((await postToken(signOn.app, { client_id: "cafe-website" })).json()).toMatchObject({
		error: "invalid_request",
		error_description: "grant_type is missing.",
	});
});

test.each(["/api/v1/token", "/api/v1/introspect", "/api/v1/revoke"])(
	"%s takes a form only, and names the content type it refuses",
	async (url) => {
		const members = { grant_type: "client_credentials", token: "x", ...backend };
		const send = (payload: string | undefined, headers: Record<string, string>) =>
			signOn.app.inject({ method: "POST", url, headers, ...(payload !== undefined && { payload }) });
		for (const type of ["application/json", "multipart/form-data", "text/plain", "text/xml"]) {
			const refused = await send(JSON.stringify(members), { "content-type": type });
			expect(refused.statusCode, type).toBe(400);
			expect(refused.json()).toMatchObject({
				error: "invalid_request",
				error_description: expect.stringContaining(`application/x-www-form-urlencoded; it is ${type}.`),
			});
		}
		expect((await send(undefined, {})).json()).toMatchObject({
			error: "invalid_request",
			error_description: expect.stringContaining("it is missing."),
		});
		const body = new URLSearchParams(members).toString();
		const withCharset = { "content-type": "Application/X-WWW-Form-Urlencoded; charset=UTF-8" };
		expect((await send(body, withCharset)).statusCode).toBe(200);
	},
);

test("a code used twice is refused, and the session of its first use is revoked", async () => {
	const obtained = await obtainCode(browser);
	const first = (await tradeCode(signOn.app, obtained)).json();
	expect((await signOn.me(first.access_token)).statusCode).toBe(200);
	const second = await tradeCode(signOn.app, obtained);
	expect(second.statusCode).toBe(400);
	expect(second.json()).toMatchObject({ error: "invalid_grant" });
	expect((await signOn.me(first.access_token)).statusCode).toBe(401);
	expect((await signOn.refresh(first.refresh_token)).json()).toMatchObject({ error: "invalid_grant" });
});

test("of twenty uses of one code at once, one answers tokens, and its session is dead afterwards", async () => {
	const obtained = await obtainCode(browser);
	const responses = await Promise.all(Array.from({ length: 20 }, () => tradeCode(signOn.app, obtained)));
	const won = responses.filter(({ statusCode }) => statusCode === 200);
	expect(won).toHaveLength(1);
	expect((await signOn.me(won[0]?.json().access_token)).statusCode).toBe(401);
});

test.each([
	["a verifier that does not fit", { code_verifier: "x".repeat(43) }, "invalid_grant"],
	["a malformed verifier", { code_verifier: "x".repeat(42) }, "invalid_request"],
	["an unknown resource", { resource: "urn:lango:moon" }, "invalid_target"],
	["a resource wider than was granted", { resource: "urn:lango:pos" }, "invalid_target"],
	["another redirect address", { redirect_uri: "http://localhost:3001/auth/callback" }, "invalid_grant"],
	["another client", { client_id: "console-ui" }, "invalid_grant"],
])("%s is refused and uses the code up", async (_what, members, error) => {
	const obtained = await obtainCode(browser, { resource: "urn:lango:hospital" });
	const wrong = await tradeCode(signOn.app, obtained, members);
	expect([wrong.statusCode, wrong.json().error]).toEqual([400, error]);
	expect((await tradeCode(signOn.app, obtained)).json()).toMatchObject({ error: "invalid_grant" });
});

test("a code that was used is used twice also by a request that is malformed", async () => {
	const obtained = await obtainCode(browser);
	const { access_token } = (await tradeCode(signOn.app, obtained)).json();
	await tradeCode(signOn.app, { ...obtained, verifier: "x".repeat(42) });
	expect((await signOn.me(access_token)).statusCode).toBe(401);
});

test("a client that does not authenticate does not consume the code", async () => {
	const parameters = { client_id: backend.client_id, redirect_uri: backendCallback };
	const obtained = await obtainCode(browser, parameters);
	const unproved = await tradeCode(signOn.app, obtained, { ...parameters, client_secret: "wrong" });
	expect(unproved.statusCode).toBe(401);
	expect((await tradeCode(signOn.app, obtained, { ...parameters, ...backend })).statusCode).toBe(200);
});

test.each([
	["a verifier outside the alphabet of the RFC", { code_verifier: `${"a".repeat(42)}é` }, "invalid_request"],
	["a verifier that is too short", { code_verifier: "a".repeat(42) }, "invalid_request"],
	["an unknown code", { code: "nonsense" }, "invalid_grant"],
	["an unknown client", { client_id: "unknown-client" }, "invalid_client"],
	["a secret of a public client", { client_secret: "guess" }, "invalid_client"],
	["another grant type", { grant_type: "password" }, "unsupported_grant_type"],
])("%s is refused", async (_what, members, error) => {
	const response = await tradeCode(signOn.app, await obtainCode(browser), members);
	expect(response.statusCode).toBe(error === "invalid_client" ? 401 : 400);
	expect(response.json()).toEqual({
		error,
		error_description: expect.any(String),
		request_id: expect.any(String),
	});
});

test("a code for a public client without any verifier is refused", async () => {
	const { code } = await obtainCode(browser);
	const response = await postToken(signOn.app, {
		grant_type: "authorization_code",
		code,
		client_id: "cafe-website",
		redirect_uri: websiteCallback,
	});
	expect(response.json()).toMatchObject({ error: "invalid_grant" });
});

test("a code expires after sixty seconds", async () => {
	const obtained = await obtainCode(browser);
	signOn.now.forward(60);
	expect((await tradeCode(signOn.app, obtained)).json()).toMatchObject({
		error: "invalid_grant",
		error_description: "The code has expired.",
	});
});

test("a code is not valid after a sign-out", async () => {
	const mine = openBrowser(signOn.app);
	await mine.signIn("admin@uhai.example");
	const obtained = await obtainCode(mine);
	await mine.get("/api/v1/auth/logout");
	expect((await tradeCode(signOn.app, obtained)).json()).toMatchObject({ error: "invalid_grant" });
});

test("a concurrent sign-out and exchange leave no live session", async () => {
	for (let round = 0; round < 10; round += 1) {
		const mine = openBrowser(signOn.app);
		await mine.signIn("admin@uhai.example");
		const obtained = await obtainCode(mine);
		const [traded] = await Promise.all([tradeCode(signOn.app, obtained), mine.get("/api/v1/auth/logout")]);
		if (traded.statusCode === 200)
			expect((await signOn.refresh(traded.json().refresh_token)).json()).toMatchObject({
				error: "invalid_grant",
			});
		else expect(traded.json()).toMatchObject({ error: "invalid_grant" });
	}
});

test("a code for one resource is not exchanged for another (RFC 8707 §2.2)", async () => {
	const resource = "urn:lango:hospital";
	const narrow = await tradeCode(signOn.app, await obtainCode(browser, { resource }), { resource });
	expect(claimsOf(narrow.json().access_token)).toMatchObject({ aud: resource });
	const other = await tradeCode(signOn.app, await obtainCode(browser, { resource }), {
		resource: "urn:lango:pos",
	});
	expect(other.json()).toMatchObject({ error: "invalid_target" });
	const unknown = await tradeCode(signOn.app, await obtainCode(browser), { resource: "urn:lango:moon" });
	expect(unknown.json()).toMatchObject({ error: "invalid_target" });
	const within = await tradeCode(signOn.app, await obtainCode(browser), { resource });
	expect(claimsOf(within.json().access_token)).toMatchObject({ aud: resource });
});

test("a parameter given twice is refused", async () => {
	const response = await signOn.app.inject({
		method: "POST",
		url: "/api/v1/token",
		headers: form,
		payload: "grant_type=authorization_code&code=a&code=b&client_id=cafe-website",
	});
	expect(response.statusCode).toBe(400);
	expect(response.json()).toMatchObject({ error: "invalid_request", field: "code" });
});

test("a confidential client authenticates in the header or in the body, and not in both", async () => {
	const at = {
		client_id: backend.client_id,
		redirect_uri: backendCallback,
		code_challenge: undefined,
		code_challenge_method: undefined,
	};
	const trade = async (members: Record<string, string>, headers: Record<string, string> = {}) => {
		const code = location(await browser.get(authorizeUrl(at))).searchParams.get("code") ?? "";
		return postToken(
			signOn.app,
			{ grant_type: "authorization_code", code, redirect_uri: backendCallback, ...members },
			headers,
		);
	};
	const basic = (secret: string) => ({
		authorization: `Basic ${Buffer.from(`${backend.client_id}:${secret}`).toString("base64")}`,
	});
	expect((await trade({}, basic(backend.client_secret))).statusCode).toBe(200);
	expect((await trade(backend)).statusCode).toBe(200);
	expect(
		(await trade({ client_secret: backend.client_secret }, basic(backend.client_secret))).json(),
	).toMatchObject({ error: "invalid_request" });
	for (const response of [
		await trade({}, basic("wrong")),
		await trade({ ...backend, client_secret: "wrong" }),
		await trade({ client_id: backend.client_id }),
	]) {
		expect(response.statusCode).toBe(401);
		expect(response.json()).toMatchObject({ error: "invalid_client" });
		expect(response.headers["www-authenticate"]).toContain("Basic");
	}
});

test("a verifier for a code without a challenge is refused", async () => {
	const at = {
		client_id: backend.client_id,
		redirect_uri: backendCallback,
		code_challenge: undefined,
		code_challenge_method: undefined,
	};
	const code = location(await browser.get(authorizeUrl(at))).searchParams.get("code") ?? "";
	const response = await postToken(signOn.app, {
		grant_type: "authorization_code",
		code,
		redirect_uri: backendCallback,
		code_verifier: "x".repeat(43),
		...backend,
	});
	expect(response.json()).toMatchObject({ error: "invalid_grant" });
});
