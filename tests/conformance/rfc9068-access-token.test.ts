import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from "jose";
import * as oauth from "oauth4webapi";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Browser, openBrowser } from "./browser.ts";
import { clients } from "./clients.ts";
import { type Issuer, startIssuer } from "./issuer.ts";
import { insecure, makeRelyingParty, type RelyingParty } from "./relying-party.ts";

// RFC 9068: the access token as a JWT that any service can check by itself.

let issuer: Issuer;
let rp: RelyingParty;
let browser: Browser;
beforeAll(async () => {
	issuer = await startIssuer();
	rp = await makeRelyingParty(issuer, clients.first);
	browser = openBrowser(issuer);
	await browser.signIn();
});
afterAll(() => issuer?.close());

test("§4: oauth4webapi, as a resource server would use it, accepts the token", async () => {
	const { tokens, claims } = await rp.walk(browser, { scope: "openid email" });
	const request = new Request("https://service.example/", {
		headers: { authorization: `Bearer ${tokens.access_token}` },
	});
	const read = await oauth.validateJwtAccessToken(rp.as, request, "lango", {
		...insecure,
		signingAlgorithms: ["ES256"],
	});
	expect(read).toMatchObject({ sub: claims.sub, client_id: clients.first.id, scope: "openid email" });
});

test("§2.1, §2.2: typ, kid and every claim that must be there", async () => {
	const { tokens } = await rp.walk(browser);
	const { protectedHeader, payload } = await jwtVerify(
		tokens.access_token,
		createRemoteJWKSet(new URL(rp.as.jwks_uri ?? "")),
		{
			typ: "at+jwt",
			algorithms: ["ES256"],
			issuer: issuer.url,
			audience: "lango",
			requiredClaims: ["sub", "exp", "iat", "jti", "client_id", "scope"],
		},
	);
	expect(protectedHeader.kid).toBeTypeOf("string");
	expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(tokens.expires_in);
});

test("§2.2: no two tokens have one jti", async () => {
	const all = await Promise.all([1, 2, 3].map(() => rp.walk(browser)));
	const ids = all.map(({ tokens }) => JSON.parse(atob(tokens.access_token.split(".")[1] ?? "")).jti);
	expect(new Set(ids).size).toBe(3);
});

test("§3: a resource narrows the audience to one service (RFC 8707), and only to services there are", async () => {
	const { tokens } = await rp.walk(browser, { resource: "urn:lango:hospital" });
	const claims = JSON.parse(atob(tokens.access_token.split(".")[1] ?? ""));
	expect(claims.aud).toBe("urn:lango:hospital");
	const asked = await rp.ask({ resource: "https://elsewhere.example" });
	const { callback } = await browser.authorize(asked.url);
	expect(callback.searchParams.get("error")).toBe("invalid_target");
});

test("§5, RFC 8725 §3.11: an ID token is of another type and does not pass for an access token", async () => {
	const { tokens } = await rp.walk(browser);
	expect(decodeProtectedHeader(tokens.id_token ?? "").typ).not.toBe("at+jwt");
	const request = new Request("https://service.example/", {
		headers: { authorization: `Bearer ${tokens.id_token}` },
	});
	await expect(oauth.validateJwtAccessToken(rp.as, request, clients.first.id, insecure)).rejects.toThrow();
});
