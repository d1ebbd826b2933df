import { expect, test } from "vitest";
import {
	backend,
	backendCallback,
	bearer,
	claimsOf,
	issuer,
	obtainBackendTokens,
	obtainCode,
	obtainTokens,
	openBrowser,
	postForm,
	postToken,
	setUpSignOn,
	tradeCode,
} from "./sign-on.ts";

// introspection (RFC 7662) and revocation (RFC 7009)

const signOn = setUpSignOn();
const post = (url: string, members: Record<string, string>) => postForm(signOn.app, url, { members });

const introspect = async (token: string) => (await post("/api/v1/introspect", { token, ...backend })).json();

/** Tokens of the confidential client. */
const backendTokens = () => obtainBackendTokens(signOn.app, "admin@uhai.example");

test("a live access token and a live refresh token are active, with what they say", async () => {
	const tokens = await obtainTokens(signOn.app, "admin@uhai.example");
	expect(await introspect(tokens.access_token)).toMatchObject({
		active: true,
		token_type: "Bearer",
		iss: issuer,
		client_id: "cafe-website",
		tenant_slug: "uhai",
	});
	expect(await introspect((await backendTokens()).refresh_token)).toMatchObject({
		active: true,
		token_type: "refresh_token",
		client_id: "demo-backend",
	});
});

test("another client's refresh token is reported as inactive", async () => {
	const tokens = await obtainTokens(signOn.app, "admin@uhai.example");
	expect(await introspect(tokens.refresh_token)).toEqual({ active: false });
});

test("a token for one service is active only for that service and for the client it was issued to", async () => {
	await signOn.db.query(
		`insert into clients (client_id, name, redirect_uris, scopes, public, secret_hash)
		 select names.*, '{}', '{openid}', false, secret_hash
		   from clients, (values ('hospital', 'Hospital'), ('partner', 'Partner')) names where client_id = 'demo-backend'`,
	);
	const { access_token: token } = (
		await postToken(signOn.app, {
			grant_type: "client_credentials",
			resource: "urn:lango:hospital",
			...backend,
		})
	).json();
	const asked = async (client_id: string) =>
		(await post("/api/v1/introspect", { ...backend, token, client_id })).json();
	expect(await asked("hospital")).toMatchObject({ active: true, aud: "urn:lango:hospital" });
	expect(await asked("demo-backend")).toMatchObject({ active: true });
	expect(await asked("partner")).toEqual({ active: false });
});

test("a token of a client that was deleted is not active, also when its name is given again", async () => {
	const root = (await obtainTokens(signOn.app, "root@lango.example")).access_token;
	const admin = (method: "POST" | "DELETE", url: string, payload?: object) =>
		signOn.app.inject({
			method,
			url: `/api/v1/admin/clients${url}`,
			headers: bearer(root),
			...(payload && { payload }),
		});
	const client = {
		client_id: "passing",
		client_secret: "passing-secret-of-at-least-32-characters",
		name: "Passing",
		scopes: ["openid", "email"],
		public: false,
		redirect_uris: [backendCallback],
	};
	const { client_id, client_secret } = client;
	const register = async () => expect((await admin("POST", "", client)).statusCode).toBe(201);
	await register();
	const own = (
		await postToken(signOn.app, { grant_type: "client_credentials", client_id, client_secret })
	).json();
	const browser = openBrowser(signOn.app);
	await browser.signIn("admin@uhai.example");
	const parameters = { client_id, redirect_uri: backendCallback };
	const persons = (
		await tradeCode(signOn.app, await obtainCode(browser, { ...parameters, scope: "openid email" }), {
			...parameters,
			client_secret,
		})
	).json();
	for (const { access_token } of [own, persons])
		expect(await introspect(access_token)).toMatchObject({ active: true });

	expect((await admin("DELETE", "/passing")).statusCode).toBe(204);
	for (const { access_token } of [own, persons])
		expect(await introspect(access_token)).toEqual({ active: false });
	await register();
	for (const { access_token } of [own, persons])
		expect(await introspect(access_token)).toEqual({ active: false });
});

test("once a code was used twice, no token of its first use is active (RFC 6749 §4.1.2)", async () => {
	const browser = openBrowser(signOn.app);
	await browser.signIn("admin@uhai.example");
	const parameters = { client_id: backend.client_id, redirect_uri: backendCallback };
	const code = await obtainCode(browser, parameters);
	const trade = () => tradeCode(signOn.app, code, { ...parameters, ...backend });
	const { access_token, refresh_token } = (await trade()).json();
	for (const token of [access_token, refresh_token])
		expect(await introspect(token)).toMatchObject({ active: true });
	expect((await trade()).json()).toMatchObject({ error: "invalid_grant" });
	for (const token of [access_token, refresh_token])
		expect(await introspect(token)).toEqual({ active: false });
	expect((await signOn.me(access_token)).statusCode).toBe(401);
});

test("an invalid token gets only `active: false`", async () => {
	const tokens = await backendTokens();
	const next = (await signOn.refresh(tokens.refresh_token, backend)).json();
	for (const token of ["garbage", tokens.refresh_token, tokens.id_token])
		expect(await introspect(token)).toEqual({ active: false });
	await post("/api/v1/revoke", { token: next.refresh_token, ...backend });
	for (const token of [next.access_token, next.refresh_token])
		expect(await introspect(token)).toEqual({ active: false });
});

test("a public client and one that does not prove itself may not ask", async () => {
	for (const client of [
		{ client_id: "cafe-website" },
		{ client_id: "demo-backend", client_secret: "wrong" },
		{},
	]) {
		const response = await post("/api/v1/introspect", { token: "x", ...client });
		expect(response.statusCode).toBe(401);
		expect(response.json()).toMatchObject({ error: "invalid_client" });
	}
});

test("revoking either token ends their session with an event, and no other session", async () => {
	for (const kind of ["access_token", "refresh_token"] as const) {
		const here = await obtainTokens(signOn.app, "admin@uhai.example");
		const elsewhere = await obtainTokens(signOn.app, "admin@uhai.example");
		const response = await post("/api/v1/revoke", { token: here[kind], client_id: "cafe-website" });
		expect(response.statusCode).toBe(200);
		expect((await signOn.me(here.access_token)).statusCode).toBe(401);
		expect((await signOn.me(elsewhere.access_token)).statusCode).toBe(200);
		const rows = await signOn.db.query<{ because: string }>(
			"select envelope->'data'->>'because' as because from outbox where type = 'auth.session.revoked' and subject = $1",
			[claimsOf(here.access_token).sid],
		);
		expect(rows).toEqual([{ because: "token_revoked" }]);
	}
});

test("revoking an unknown token succeeds, and a token of another client is not revoked", async () => {
	expect((await post("/api/v1/revoke", { token: "garbage", client_id: "cafe-website" })).statusCode).toBe(
		200,
	);
	const tokens = await obtainTokens(signOn.app, "admin@uhai.example");
	const response = await post("/api/v1/revoke", { token: tokens.refresh_token, client_id: "console-ui" });
	expect(response.statusCode).toBe(400);
	expect((await signOn.me(tokens.access_token)).statusCode).toBe(200);
});
