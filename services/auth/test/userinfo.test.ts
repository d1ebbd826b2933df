import { afterAll, beforeAll, expect, test } from "vitest";
import { claimsOf, obtainTokens, type SignOn, startSignOn } from "./sign-on.ts";

// userinfo (OpenID Connect Core §5.3)

let signOn: SignOn;
beforeAll(async () => {
	signOn = await startSignOn();
});
afterAll(() => signOn.close());

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
test("GET and POST tell what the scopes allow", async () => {
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
