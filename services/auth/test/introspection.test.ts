import { afterAll, beforeAll, expect, test } from "vitest";
import {
	backend,
	claimsOf,
	form,
	issuer,
	obtainTokens,
	postToken,
	type SignOn,
	startSignOn,
} from "./sign-on.ts";

// introspection (RFC 7662) and revocation (RFC 7009)

let signOn: SignOn;
beforeAll(async () => {
	signOn = await startSignOn();
});
afterAll(() => signOn.close());

const post = (url: string, members: Record<string, string>, headers: Record<string, string> = {}) =>
	signOn.app.inject({
		method: "POST",
		url,
		headers: { ...form, ...headers },
		payload: new URLSearchParams(members).toString(),
	});
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const me = (token: string) => signOn.app.inject({ url: "/api/v1/auth/me", headers: bearer(token) });
const introspect = async (token: string) => (await post("/api/v1/introspect", { token, ...backend })).json();

test("a live access token and a live refresh token are active, with what they say", async () => {
	const tokens = await obtainTokens(signOn.app, "admin@uhai.example");
	expect(await introspect(tokens.access_token)).toMatchObject({
		active: true,
		token_type: "Bearer",
		iss: issuer,
		client_id: "cafe-website",
		tenant_slug: "uhai",
	});
	expect(await introspect(tokens.refresh_token)).toMatchObject({
		active: true,
		token_type: "refresh_token",
		client_id: "cafe-website",
	});
});

test("of anything else it says no more than that it is not active", async () => {
	const tokens = await obtainTokens(signOn.app, "admin@uhai.example");
	const next = (
		await postToken(signOn.app, {
			grant_type: "refresh_token",
			refresh_token: tokens.refresh_token,
			client_id: "cafe-website",
		})
	).json();
	for (const token of ["garbage", tokens.refresh_token, tokens.id_token])
		expect(await introspect(token)).toEqual({ active: false });
	await post("/api/v1/revoke", { token: next.refresh_token, client_id: "cafe-website" });
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

test("revoking either token ends the session of both, tells of it, and leaves the other sessions", async () => {
	for (const kind of ["access_token", "refresh_token"] as const) {
		const here = await obtainTokens(signOn.app, "admin@uhai.example");
		const elsewhere = await obtainTokens(signOn.app, "admin@uhai.example");
		const response = await post("/api/v1/revoke", { token: here[kind], client_id: "cafe-website" });
		expect(response.statusCode).toBe(200);
		expect((await me(here.access_token)).statusCode).toBe(401);
		expect((await me(elsewhere.access_token)).statusCode).toBe(200);
		const rows = await signOn.db.query<{ because: string }>(
			"select envelope->'data'->>'because' as because from outbox where type = 'auth.session.revoked' and subject = $1",
			[claimsOf(here.access_token).sid],
		);
		expect(rows).toEqual([{ because: "token_revoked" }]);
	}
});

test("a token nobody made is revoked with success, and one of another client is not revoked", async () => {
	expect((await post("/api/v1/revoke", { token: "garbage", client_id: "cafe-website" })).statusCode).toBe(
		200,
	);
	const tokens = await obtainTokens(signOn.app, "admin@uhai.example");
	const response = await post("/api/v1/revoke", { token: tokens.refresh_token, client_id: "console-ui" });
	expect(response.statusCode).toBe(400);
	expect((await me(tokens.access_token)).statusCode).toBe(200);
});
