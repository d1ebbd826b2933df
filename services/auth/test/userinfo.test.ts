import { expect, test } from "vitest";
import { bearer, claimsOf, form, obtainTokens, setUpSignOn } from "./sign-on.ts";

// userinfo (OpenID Connect Core §5.3)

const signOn = setUpSignOn();

test("GET and POST return the claims that the scopes allow", async () => {
	const { access_token, id_token } = await obtainTokens(signOn.app, "admin@uhai.example");
	for (const method of ["GET", "POST"] as const) {
		const response = await signOn.app.inject({
			method,
			url: "/api/v1/userinfo",
			headers: bearer(access_token),
		});
		expect(response.json()).toEqual({
			sub: claimsOf(id_token).sub,
			email: "admin@uhai.example",
			email_verified: true,
			name: "Asha Mwangi",
		});
	}
	const bare = await obtainTokens(signOn.app, "admin@uhai.example", { scope: "openid" });
	const response = await signOn.app.inject({ url: "/api/v1/userinfo", headers: bearer(bare.access_token) });
	expect(Object.keys(response.json())).toEqual(["sub"]);
});

test("a token without openid is refused with insufficient_scope (RFC 6750 §3.1)", async () => {
	const { access_token } = await obtainTokens(signOn.app, "admin@uhai.example", { scope: "email" });
	const response = await signOn.app.inject({ url: "/api/v1/userinfo", headers: bearer(access_token) });
	expect(response.statusCode).toBe(403);
	expect(response.headers["www-authenticate"]).toContain("insufficient_scope");
});

test("a token whose session has ended is refused", async () => {
	const { access_token } = await obtainTokens(signOn.app, "admin@uhai.example");
	await signOn.app.inject({ method: "POST", url: "/api/v1/auth/logout", headers: bearer(access_token) });
	expect(
		(await signOn.app.inject({ url: "/api/v1/userinfo", headers: bearer(access_token) })).statusCode,
	).toBe(401);
});

const ask = (method: "GET" | "POST", { query = "", headers = {}, body = "" }) =>
	signOn.app.inject({
		method,
		url: `/api/v1/userinfo${query}`,
		headers: { ...headers, ...(body !== "" && form) },
		...(body !== "" && { payload: body }),
	});

test("POST takes the access token in a form (RFC 6750 §2.2), GET and JSON bodies do not carry one", async () => {
	const { access_token: token } = await obtainTokens(signOn.app, "admin@uhai.example");
	const inForm = await ask("POST", { body: `access_token=${token}` });
	expect([inForm.statusCode, inForm.json().sub]).toEqual([200, claimsOf(token).sub]);
	const url = "/api/v1/userinfo";
	const json = await signOn.app.inject({ method: "POST", url, payload: { access_token: token } });
	expect([json.statusCode, json.json().code]).toEqual([401, "token_invalid"]);
	expect((await ask("GET", { query: `?access_token=${token}` })).statusCode).toBe(401);
});

test("a 401 says which credential the route needs, whether the token is missing or refused", async () => {
	for (const body of ["", "access_token=a.b.c"]) {
		const answer = await ask("POST", { body });
		expect([answer.statusCode, answer.json().code]).toEqual([401, "token_invalid"]);
		expect(answer.json().error).toContain("This route needs an access token: Authorization: Bearer <token>");
	}
});

test("an access token presented in more than one way is invalid_request (RFC 6750 §2, §3.1)", async () => {
	const { access_token: token } = await obtainTokens(signOn.app, "admin@uhai.example");
	const one = `access_token=${token}`;
	for (const [method, presented] of [
		["POST", { headers: bearer(token), body: one }],
		["POST", { body: `${one}&${one}` }],
		["POST", { body: one, query: `?${one}` }],
		["GET", { headers: bearer(token), query: `?${one}` }],
	] as const) {
		const response = await ask(method, presented);
		expect([response.statusCode, response.json().code]).toEqual([400, "invalid_request"]);
		expect(response.headers["www-authenticate"]).toBe('Bearer error="invalid_request"');
	}
});

test.each(["", "access_token=", "access_token=garbage"])("a form with %j is 401", async (body) => {
	const response = await ask("POST", { body });
	expect([response.statusCode, response.json().code]).toEqual([401, "token_invalid"]);
	expect(response.headers["www-authenticate"]).toMatch(/^Bearer /);
});
