import { createHash } from "node:crypto";
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from "jose";
import * as oauth from "oauth4webapi";
import * as openid from "openid-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Browser, locationOf, openBrowser, someone } from "./browser.ts";
import { clients } from "./clients.ts";
import { type Issuer, startIssuer } from "./issuer.ts";
import { makeRelyingParty, type RelyingParty } from "./relying-party.ts";

// OpenID Connect Core §3.1, the code flow: what the Basic OP profile walks, by a client that checks
// everything.

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

/**
 * The members of the client's request, with the client's own choice among them, and where the browser ends
 * up.
 */
async function answerTo(members: Record<string, string | undefined>) {
	const asked = await rp.ask(members);
	return { asked, to: locationOf(await browser.get(asked.url)) };
}

describe("§3.1 the whole flow", () => {
	test("oidcc-server: a client that checks everything signs a person in", async () => {
		const { claims, signIns, tokens } = await rp.walk(openBrowser(issuer));
		expect(signIns).toBe(1);
		expect(claims.aud).toBe(clients.first.id);
		expect(tokens.expires_in).toBeGreaterThan(0);
	});

	test("oidcc-server-client-secret-post: the secret in the body does as well", async () => {
		const byBody = await makeRelyingParty(issuer, clients.second, { authenticateBy: oauth.ClientSecretPost });
		expect((await byBody.walk(browser)).claims.aud).toBe(clients.second.id);
	});

	test("openid-client, with plain http on loopback as its only option, signs a person in and refreshes", async () => {
		const { id, secret } = clients.first;
		const options = { execute: [openid.allowInsecureRequests] };
		const config = await openid.discovery(new URL(issuer.url), id, secret, undefined, options);
		const pkceCodeVerifier = openid.randomPKCECodeVerifier();
		const checks = { expectedState: openid.randomState(), expectedNonce: openid.randomNonce(), maxAge: 600 };
		const url = openid.buildAuthorizationUrl(config, {
			redirect_uri: clients.first.redirectUris[0],
			scope: "openid email offline_access",
			state: checks.expectedState,
			nonce: checks.expectedNonce,
			max_age: "600",
			code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
			code_challenge_method: "S256",
		});
		const { callback } = await openBrowser(issuer).authorize(url);
		const tokens = await openid.authorizationCodeGrant(config, callback, { pkceCodeVerifier, ...checks });
		expect(tokens.claims()?.email).toBe(someone);
		const info = await openid.fetchUserInfo(config, tokens.access_token, tokens.claims()?.sub ?? "");
		expect(info.email).toBe(someone);
		const next = await openid.refreshTokenGrant(config, tokens.refresh_token ?? "");
		expect(next.access_token).not.toBe(tokens.access_token);
	});
});

describe("§3.1.2.1 the authentication request", () => {
	test("oidcc-ensure-post-request-succeeds: the request comes by POST as well as by GET", async () => {
		const asked = await rp.ask();
		const response = await browser.post(
			`${issuer.url}/api/v1/authorize`,
			Object.fromEntries(asked.url.searchParams),
		);
		expect((await rp.finish(asked, locationOf(response))).id_token).toBeDefined();
	});

	test.each([
		["oidcc-ensure-request-with-unknown-parameter-succeeds", { extra: "foobar" }],
		["oidcc-display-page", { display: "page" }],
		["oidcc-display-popup", { display: "popup" }],
		["oidcc-login-hint", { login_hint: someone }],
		["oidcc-ui-locales", { ui_locales: "se" }],
		["oidcc-claims-locales", { claims_locales: "se" }],
		["oidcc-ensure-request-with-acr-values-succeeds", { acr_values: "urn:mace:incommon:iap:silver 2" }],
		["oidcc-scope-address and -phone, which are not offered", { scope: "openid address phone" }],
		["oidcc-ensure-other-scope-order-succeeds", { scope: "email openid" }],
	])("%s: the request succeeds", async (_name, members) => {
		expect((await rp.walk(browser, members)).claims.sub).toBeTypeOf("string");
	});

	test("oidcc-response-type-missing: the client receives invalid_request, with its state", async () => {
		const { asked, to } = await answerTo({ response_type: undefined });
		expect(to.searchParams.get("error")).toBe("invalid_request");
		expect(to.searchParams.get("state")).toBe(asked.state);
	});

	test.each([
		"token",
		"id_token",
		"id_token token",
		"code token",
		"code id_token",
		"code id_token token",
		"none",
	])(
		"only the code flow is offered: response_type=%s is refused with unsupported_response_type",
		async (response_type) => {
			const { to } = await answerTo({ response_type });
			expect(to.searchParams.get("error")).toBe("unsupported_response_type");
			expect(to.hash).toBe("");
		},
	);

	test("oidcc-ensure-registered-redirect-uri: an address that is not registered gets a page and no redirect", async () => {
		const { url } = await rp.ask({ redirect_uri: "https://rp.example/callback/other" });
		const response = await browser.get(url);
		expect(response.status).toBe(400);
		expect(response.headers.get("location")).toBeNull();
		expect(response.headers.get("content-type")).toContain("text/html");
	});

	test("oidcc-redirect-uri-query-OK: the query of a registered address is kept", async () => {
		const { callback } = await rp.walk(browser, { redirect_uri: clients.first.redirectUris[1] });
		expect(callback.searchParams.get("kept")).toBe("1");
		expect(callback.searchParams.get("also")).toBe("a/b");
	});

	test("oidcc-redirect-uri-query-added: an unregistered query is refused on a page", async () => {
		const { url } = await rp.ask({ redirect_uri: `${clients.first.redirectUris[0]}?foo=bar` });
		expect((await browser.get(url)).status).toBe(400);
	});
});

describe("§6 request objects, which this issuer does not take", () => {
	const unsigned = (claims: object) =>
		`${[{ alg: "none" }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".")}.`;

	test("oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported: request_not_supported", async () => {
		const { asked, to } = await answerTo({ request: unsigned({ scope: "openid", nonce: "other" }) });
		expect(to.searchParams.get("error")).toBe("request_not_supported");
		expect(to.searchParams.get("state")).toBe(asked.state);
	});

	test("oidcc-ensure-request-object-with-redirect-uri: an address inside the object is never gone to", async () => {
		const { to } = await answerTo({ request: unsigned({ redirect_uri: "https://evil.example/" }) });
		expect(to.origin).toBe("https://rp.example");
		expect(to.searchParams.get("error")).toBe("request_not_supported");
	});

	test("a request object by reference is answered with request_uri_not_supported", async () => {
		const { to } = await answerTo({ request_uri: `${issuer.url}/healthz` });
		expect(to.searchParams.get("error")).toBe("request_uri_not_supported");
	});
});

describe("§2, §3.1.3.6 the ID token", () => {
	test("oidcc-idtoken-signature: RS256 with a kid of the key set, checked by jose as well", async () => {
		const { tokens } = await rp.walk(browser);
		const keys = createRemoteJWKSet(new URL(rp.as.jwks_uri ?? ""));
		const { payload, protectedHeader } = await jwtVerify(tokens.id_token ?? "", keys, {
			issuer: issuer.url,
			audience: clients.first.id,
			requiredClaims: ["sub", "exp", "iat", "auth_time", "nonce"],
		});
		expect(protectedHeader).toMatchObject({ alg: "RS256", kid: expect.any(String) });
		expect(payload.sub?.length).toBeLessThanOrEqual(255);
	});

	test("a client that registered ES256 gets its ID tokens signed so", async () => {
		const elliptic = await makeRelyingParty(issuer, clients.elliptic);
		const { tokens } = await elliptic.walk(browser);
		expect(decodeProtectedHeader(tokens.id_token ?? "").alg).toBe("ES256");
	});

	test("oidcc-idtoken-unsigned: alg none is not offered", () => {
		expect(rp.as.id_token_signing_alg_values_supported).not.toContain("none");
	});

	test("oidcc-nonce: the nonce comes back as it was sent", async () => {
		const sent = `n-${"ü/+ ".repeat(10)}`;
		expect((await rp.walk(browser, { nonce: sent })).claims.nonce).toBe(sent);
	});

	test("oidcc-ensure-request-without-nonce-succeeds-for-code-flow: without a nonce there is none in the ID token", async () => {
		expect((await rp.walk(browser, { nonce: undefined })).claims).not.toHaveProperty("nonce");
	});

	test("at_hash is the left half of the access token's SHA-256", async () => {
		const { claims, tokens } = await rp.walk(browser);
		const digest = createHash("sha256").update(tokens.access_token, "ascii").digest();
		expect(claims.at_hash).toBe(digest.subarray(0, 16).toString("base64url"));
	});
});

describe("§3.1.3 the token request", () => {
	const trade = (code: string | null) =>
		issuer.post("/api/v1/token", {
			grant_type: "authorization_code",
			code: code ?? "",
			redirect_uri: clients.first.redirectUris[0],
			client_id: clients.first.id,
			client_secret: clients.first.secret,
		});
	const userinfo = (token: string) =>
		fetch(rp.as.userinfo_endpoint ?? "", { headers: { authorization: `Bearer ${token}` } });

	test.each([
		["oidcc-codereuse", 0],
		["oidcc-codereuse-30seconds", 30],
	])(
		"%s: the second use is refused, and the tokens of the first are worth nothing any more",
		async (_name, wait) => {
			const { to } = await answerTo({ code_challenge: undefined, code_challenge_method: undefined });
			const first = (await (await trade(to.searchParams.get("code"))).json()) as { access_token: string };
			expect((await userinfo(first.access_token)).status).toBe(200);
			issuer.forward(wait);
			const second = await trade(to.searchParams.get("code"));
			expect(second.status).toBe(400);
			expect(await second.json()).toMatchObject({ error: "invalid_grant" });
			expect((await userinfo(first.access_token)).status).toBe(401);
		},
	);

	test("§3.1.3.2: a code made for one client is refused to another", async () => {
		const { asked, to } = await answerTo({});
		const other = await makeRelyingParty(issuer, clients.second);
		await expect(other.finish(asked, new URL(to))).rejects.toMatchObject({ error: "invalid_grant" });
	});
});

describe("§12 refreshing", () => {
	test("oidcc-refresh-token: the same issuer, subject, audience and sign-in time, new times, no nonce, a new at_hash", async () => {
		const first = await rp.walk(browser, { scope: "openid offline_access", prompt: "consent" });
		issuer.forward(2);
		const response = await oauth.refreshTokenGrantRequest(
			rp.as,
			rp.client,
			rp.authentication,
			first.tokens.refresh_token ?? "",
			{ [oauth.allowInsecureRequests]: true, additionalParameters: { scope: "openid" } },
		);
		const next = await oauth.processRefreshTokenResponse(
			rp.as,
			{ ...rp.client, [oauth.clockSkew]: 120 },
			response,
		);
		const claims = oauth.getValidatedIdTokenClaims(next);
		const { iss, sub, aud, auth_time, sid } = first.claims;
		expect(claims).toMatchObject({ iss, sub, aud, auth_time, sid });
		expect(claims?.iat).toBeGreaterThan(first.claims.iat);
		expect(claims).not.toHaveProperty("nonce");
		expect(claims?.at_hash).not.toBe(first.claims.at_hash);
	});

	test("§12.2: a refresh that names no scope answers a registered client an ID token of the same person", async () => {
		const { tokens } = await rp.walk(browser, { scope: "openid offline_access" });
		const response = await issuer.post("/api/v1/token", {
			grant_type: "refresh_token",
			refresh_token: tokens.refresh_token ?? "",
			client_id: clients.first.id,
			client_secret: clients.first.secret,
		});
		expect(response.status).toBe(200);
		const { id_token } = (await response.json()) as { id_token: string };
		const subjectOf = (token: string) => JSON.parse(atob(token.split(".")[1] ?? "")).sub;
		expect(subjectOf(id_token)).toBe(subjectOf(tokens.id_token ?? ""));
	});

	test("§11: without offline_access there is no refresh token", async () => {
		expect((await rp.walk(browser)).tokens).not.toHaveProperty("refresh_token");
	});

	test("a refresh token is refused to another client", async () => {
		const { tokens } = await rp.walk(browser, { scope: "openid offline_access" });
		const response = await issuer.post("/api/v1/token", {
			grant_type: "refresh_token",
			refresh_token: tokens.refresh_token ?? "",
			client_id: clients.second.id,
			client_secret: clients.second.secret,
		});
		expect(await response.json()).toMatchObject({ error: "invalid_grant" });
	});
});
