import * as oauth from "oauth4webapi";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Browser, openBrowser, someone } from "./browser.ts";
import { clients } from "./clients.ts";
import { type Issuer, startIssuer } from "./issuer.ts";
import { insecure, makeRelyingParty, type RelyingParty } from "./relying-party.ts";

// RFC 7662: a service asks what a token is worth.

let issuer: Issuer;
let rp: RelyingParty;
let service: RelyingParty;
let browser: Browser;
beforeAll(async () => {
	issuer = await startIssuer();
	rp = await makeRelyingParty(issuer, clients.spa);
	service = await makeRelyingParty(issuer, clients.second);
	browser = openBrowser(issuer);
	await browser.signIn();
});
afterAll(() => issuer?.close());

const scope = "openid email offline_access";
const introspect = async (token: string | undefined, by = service) => {
	const { as, client, authentication } = by;
	const response = await oauth.introspectionRequest(as, client, authentication, token ?? "", insecure);
	return oauth.processIntrospectionResponse(as, client, response);
};
const ask = (members: Record<string, string>) => issuer.post("/api/v1/introspect", members);

test("§2.2: the response for a live access token has the token's claims under the RFC's names", async () => {
	const { tokens, claims } = await rp.walk(browser, { scope });
	const { exp = 0, iat = 0, ...answer } = await introspect(tokens.access_token);
	expect(answer).toMatchObject({
		active: true,
		iss: issuer.url,
		sub: claims.sub,
		aud: "lango",
		client_id: clients.spa.id,
		username: someone,
		token_type: "Bearer",
		scope: tokens.scope,
		jti: expect.any(String),
	});
	expect(exp - iat).toBe(tokens.expires_in);
});

test("§2.2: a live refresh token is active, too, and known as what it is", async () => {
	const { tokens, claims } = await service.walk(browser, { scope });
	expect(await introspect(tokens.refresh_token)).toMatchObject({
		active: true,
		sub: claims.sub,
		token_type: "refresh_token",
	});
});

test("§4: only the client of a refresh token sees it as active", async () => {
	const { tokens } = await rp.walk(browser, { scope });
	expect(await introspect(tokens.refresh_token)).toEqual({ active: false });
});

test("§4: a token narrowed to one service is active for that service, and for no other (RFC 8707, RFC 9701 §5)", async () => {
	const { tokens } = await rp.walk(browser, { scope, resource: "urn:lango:hospital" });
	const hospital = await makeRelyingParty(issuer, clients.hospital);
	expect(await introspect(tokens.access_token, hospital)).toMatchObject({
		active: true,
		aud: "urn:lango:hospital",
	});
	expect(await introspect(tokens.access_token)).toEqual({ active: false });
});

test("§4: the client a narrowed token was issued to may ask about it, too", async () => {
	const { tokens } = await service.walk(browser, { scope, resource: "urn:lango:hospital" });
	expect(await introspect(tokens.access_token)).toMatchObject({ active: true, client_id: clients.second.id });
});

test("§2.2: of what is not good it says so and nothing more", async () => {
	const { tokens } = await service.walk(browser, { scope });
	const { id: client_id, secret: client_secret } = clients.second;
	await issuer.post("/api/v1/revoke", { client_id, client_secret, token: tokens.access_token ?? "" });
	const dead = [
		tokens.access_token,
		tokens.refresh_token,
		tokens.id_token,
		"garbage",
		"a.b.c",
		"ü".repeat(500),
	];
	for (const token of dead) expect(await introspect(token)).toEqual({ active: false });
});

test("§2.2, §4: an expired token is not active", async () => {
	const { tokens } = await rp.walk(browser, { scope });
	issuer.forward(6 * 3_600 + 61);
	expect(await introspect(tokens.access_token)).toEqual({ active: false });
	issuer.forward(-6 * 3_600 - 61);
});

test.each([
	["a request without a client", {}],
	["a public client", { client_id: clients.spa.id }],
	["a wrong secret", { client_id: clients.second.id, client_secret: "wrong" }],
])("§2.1: %s is refused", async (_who, members) => {
	const response = await ask({ token: "x", ...(members as Record<string, string>) });
	expect(response.status).toBe(401);
	expect(await response.json()).toMatchObject({ error: "invalid_client" });
});

test("§2.1: a question without a token is invalid", async () => {
	const response = await ask({ client_id: clients.second.id, client_secret: clients.second.secret });
	expect(response.status).toBe(400);
	expect(await response.json()).toMatchObject({ error: "invalid_request" });
});

test("§2.2: the answer may not be kept", async () => {
	const members = { client_id: clients.second.id, client_secret: clients.second.secret, token: "x" };
	expect((await ask(members)).headers.get("cache-control")).toBe("no-store");
});
