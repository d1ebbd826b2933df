import { expect, test } from "vitest";
import { backend, claimsOf, postForm, setUpSignOn } from "./sign-on.ts";

// tokens of programs (RFC 6749 §4.4)

const signOn = setUpSignOn();
const post = (url: string, members: Record<string, string>) => postForm(signOn.app, url, { members });

const grant = (members: Record<string, string>) =>
	post("/api/v1/token", { grant_type: "client_credentials", ...members });

test("a client credentials token has no user and no tenant, and its scopes are the permissions", async () => {
	await signOn.db.query(
		"update clients set scopes = scopes || '{catalog:view,orders:read}' where client_id = 'demo-backend'",
	);
	const response = await grant({ ...backend, scope: "catalog:view" });
	expect(response.statusCode).toBe(200);
	expect(response.json()).toEqual({
		access_token: expect.any(String),
		token_type: "Bearer",
		expires_in: 3_600,
		scope: "catalog:view",
	});
	const [row] = await signOn.db.query<{ id: string }>(
		"select id from clients where client_id = 'demo-backend'",
	);
	const claims = claimsOf(response.json().access_token);
	expect(claims).toMatchObject({
		sub: row?.id,
		client_id: "demo-backend",
		permissions: ["catalog:view"],
		aud: "lango",
	});
	for (const member of ["email", "tenant_id", "sid", "roles"]) expect(claims).not.toHaveProperty(member);
	expect(claimsOf((await grant(backend)).json().access_token)).toMatchObject({
		permissions: ["catalog:view", "orders:read"],
	});
	expect(
		(await post("/api/v1/introspect", { token: response.json().access_token, ...backend })).json(),
	).toMatchObject({ active: true });
});

test.each([
	["a public client", { client_id: "cafe-website" }, 400, "unauthorized_client"],
	["a wrong secret", { client_id: "demo-backend", client_secret: "wrong" }, 401, "invalid_client"],
	["a scope that is not the client's", { ...backend, scope: "riders:read" }, 400, "invalid_scope"],
	["a scope that is about a person", { ...backend, scope: "openid" }, 400, "invalid_scope"],
] as const)("%s is refused", async (...[, members, status, error]) => {
	const response = await grant(members as Record<string, string>);
	expect(response.statusCode).toBe(status);
	expect(response.json()).toMatchObject({ error });
});

test("auth/me refuses a program's token", async () => {
	const { access_token } = (await grant(backend)).json();
	expect((await signOn.me(access_token)).statusCode).toBe(401);
});

test("RFC 7009 §2.2.1: a client credentials token has no session, and its revocation is refused as unsupported", async () => {
	const { access_token: token } = (await grant(backend)).json();
	const answer = await post("/api/v1/revoke", { token, ...backend });
	expect([answer.statusCode, answer.json().error]).toEqual([400, "unsupported_token_type"]);
});
