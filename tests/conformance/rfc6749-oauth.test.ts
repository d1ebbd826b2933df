import * as oauth from "oauth4webapi";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Browser, locationOf, openBrowser } from "./browser.ts";
import { type Client, clients } from "./clients.ts";
import { type Issuer, startIssuer } from "./issuer.ts";
import { insecure, makeRelyingParty, type RelyingParty } from "./relying-party.ts";

// RFC 6749: the framework under OpenID Connect, clause by clause.

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

const token = (members: Record<string, string>, headers: Record<string, string> = {}) =>
	issuer.post("/api/v1/token", members, headers);
const inBody = ({ id, secret = "" }: Client) => ({ client_id: id, client_secret: secret });
const basic = (id: string, secret: string) => ({
	authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`,
});
const formEncoded = (text: string) => new URLSearchParams([["", text]]).toString().slice(1);
/** Members of a token request with a fresh code of the first client's, made without PKCE. */
async function freshCode(client: Client = clients.first) {
	const own = await makeRelyingParty(issuer, client);
	const { url, redirectUri } = await own.ask({ code_challenge: undefined, code_challenge_method: undefined });
	const code = locationOf(await browser.get(url)).searchParams.get("code") ?? "";
	return { grant_type: "authorization_code", code, redirect_uri: redirectUri };
}
const errorOf = async (response: Response) => ((await response.json()) as { error?: string }).error;

describe("§2.3.1 clients prove themselves", () => {
	test("identifier and secret in the header are form-encoded: every awkward character survives", async () => {
		const { id, secret } = clients.awkward;
		const response = await token(
			await freshCode(clients.awkward),
			basic(formEncoded(id), formEncoded(secret)),
		);
		expect(response.status).toBe(200);
		const awkward = await makeRelyingParty(issuer, clients.awkward);
		expect((await awkward.walk(browser)).claims.aud).toBe(id);
	});

	test("client_id beside the header is fine when it is the same (openid-client and others send it)", async () => {
		const { id, secret } = clients.first;
		const response = await token({ ...(await freshCode()), client_id: id }, basic(id, secret));
		expect(response.status).toBe(200);
	});

	test("the scheme is not case-sensitive", async () => {
		const { authorization } = basic(clients.first.id, clients.first.secret);
		const response = await token(await freshCode(), {
			authorization: authorization.replace("Basic", "bAsIc"),
		});
		expect(response.status).toBe(200);
	});

	test("§2.3: two proofs in one request are refused", async () => {
		const { id, secret } = clients.first;
		const response = await token({ ...(await freshCode()), ...inBody(clients.first) }, basic(id, secret));
		expect(response.status).toBe(400);
		expect(await errorOf(response)).toBe("invalid_request");
	});

	test.each([
		["a wrong secret", basic(clients.first.id, "wrong")],
		["an unknown client", basic("unknown", "secret")],
		["no secret", basic(clients.first.id, "")],
		["a header that is not base64", { authorization: "Basic {}" }],
		["a header without a colon", { authorization: `Basic ${Buffer.from("rp-first").toString("base64")}` }],
	])("§5.2: %s in the header is 401 invalid_client, and the challenge is Basic", async (_what, headers) => {
		const response = await token(await freshCode(), headers as Record<string, string>);
		expect(response.status).toBe(401);
		expect(await errorOf(response)).toBe("invalid_client");
		expect(response.headers.get("www-authenticate")).toMatch(/^Basic realm=/);
	});

	test("a proof that cannot be read is not passed over for a public client's name in the body", async () => {
		const members = { ...(await freshCode()), client_id: clients.spa.id };
		const response = await token(members, { authorization: "Basic {}" });
		expect(response.status).toBe(401);
		expect(await errorOf(response)).toBe("invalid_client");
	});
});

describe("§3.1 the authorization endpoint", () => {
	const sentTo = async (change: (url: URL) => void) => {
		const { url } = await rp.ask();
		change(url);
		return locationOf(await browser.get(url));
	};

	test.each(["nonce", "scope", "state", "prompt", "code_challenge", "response_type", "max_age"])(
		"%s given twice is refused with invalid_request",
		async (name) => {
			const to = await sentTo((url) => {
				url.searchParams.append(name, url.searchParams.get(name) ?? "1");
				url.searchParams.append(name, "other");
			});
			expect(to.searchParams.get("error")).toBe("invalid_request");
			expect(to.searchParams.has("code")).toBe(false);
		},
	);

	test.each(["client_id", "redirect_uri"])(
		"%s given twice is reported on a page, because no client is trusted yet",
		async (name) => {
			const { url } = await rp.ask();
			url.searchParams.append(name, "https://evil.example/");
			const response = await browser.get(url);
			expect(response.status).toBe(400);
			expect(response.headers.get("location")).toBeNull();
		},
	);

	test("an unknown parameter may be given twice: it is ignored", async () => {
		const to = await sentTo((url) => {
			for (const value of ["1", "2"]) url.searchParams.append("unknown_parameter", value);
		});
		expect(to.searchParams.has("code")).toBe(true);
	});

	test("an empty parameter counts as left out", async () => {
		const to = await sentTo((url) => {
			for (const name of [
				"prompt",
				"max_age",
				"claims",
				"id_token_hint",
				"request",
				"response_mode",
				"state",
			])
				url.searchParams.set(name, "");
		});
		expect(to.searchParams.has("code")).toBe(true);
		expect(to.searchParams.has("state")).toBe(false);
	});

	test("§4.1.2: state comes back exactly as it was sent, whatever is in it", async () => {
		const state = "ü/?#&=+% \"'<>\\😀".repeat(20);
		expect((await rp.walk(browser, { state })).callback.searchParams.get("state")).toBe(state);
	});

	test("§3.1.2.1, RFC 9700 §4.12: the browser is sent on by 303, never by 307, and nothing of it is kept", async () => {
		const { url } = await rp.ask();
		const response = await browser.get(url);
		expect(response.status).toBe(303);
		expect(response.headers.get("cache-control")).toBe("no-store");
		expect(response.headers.get("referrer-policy")).toBe("no-referrer");
	});

	test("§4.1.2: a code has at least 128 bits, and no two are alike", async () => {
		const codes = await Promise.all([1, 2, 3].map(async () => (await freshCode()).code));
		expect(new Set(codes).size).toBe(3);
		for (const code of codes) expect(Buffer.from(code, "base64url").length).toBeGreaterThanOrEqual(16);
	});

	test("§4.1.2: a code is good for a minute and no longer", async () => {
		const members = await freshCode();
		issuer.forward(60);
		expect(await errorOf(await token({ ...members, ...inBody(clients.first) }))).toBe("invalid_grant");
		issuer.forward(-60);
	});
});

describe("§3.2, §5 the token endpoint", () => {
	test("§5.1: the answer is JSON, may not be kept, and says Bearer", async () => {
		const response = await token({ ...(await freshCode()), ...inBody(clients.first) });
		expect(response.headers.get("content-type")).toMatch(/^application\/json/);
		expect(response.headers.get("cache-control")).toBe("no-store");
		expect(response.headers.get("pragma")).toBe("no-cache");
		expect(await response.json()).toMatchObject({ token_type: "Bearer", expires_in: expect.any(Number) });
	});

	test("§3.2: GET is refused, so no secret gets into an address", async () => {
		const response = await fetch(`${issuer.url}/api/v1/token?grant_type=authorization_code&code=x`);
		expect(response.status).toBe(405);
		expect(response.headers.get("allow")).toContain("POST");
	});

	test("§3.2: unknown parameters are ignored, in a token request, too", async () => {
		const members = { ...(await freshCode()), ...inBody(clients.first), audience: "x", "weird[]": "y" };
		expect((await token(members)).status).toBe(200);
	});

	test("§3.2: an empty parameter counts as left out", async () => {
		const empty = {
			code_verifier: "",
			scope: "",
			resource: "",
			refresh_token: "",
			client_id: "",
			client_secret: "",
		};
		const { id, secret } = clients.first;
		expect((await token({ ...empty, ...(await freshCode()) }, basic(id, secret))).status).toBe(200);
		const response = await token({ ...inBody(clients.first), grant_type: "" });
		expect(await errorOf(response)).toBe("invalid_request");
	});

	test.each([
		["no grant_type", {}, "invalid_request"],
		["an unknown grant_type", { grant_type: "urn:example:unknown" }, "unsupported_grant_type"],
		[
			"RFC 9700 §2.4: the password grant",
			{ grant_type: "password", username: "a", password: "b" },
			"unsupported_grant_type",
		],
		["a code grant without a code", { grant_type: "authorization_code" }, "invalid_request"],
		["a refresh without a refresh token", { grant_type: "refresh_token" }, "invalid_request"],
		[
			"an unknown code",
			{ grant_type: "authorization_code", code: "x", redirect_uri: "https://rp.example/callback" },
			"invalid_grant",
		],
		["an unknown refresh token", { grant_type: "refresh_token", refresh_token: "x" }, "invalid_grant"],
	])(
		"§5.2: %s is 400 with the RFC's own word, in JSON that may not be kept",
		async (_what, members, error) => {
			const response = await token({ ...inBody(clients.first), ...(members as Record<string, string>) });
			expect(response.status).toBe(400);
			expect(response.headers.get("cache-control")).toContain("no-store");
			expect(response.headers.get("content-type")).toMatch(/^application\/json/);
			const body = (await response.json()) as { error: string; error_description: string };
			expect(body.error).toBe(error);
			expect(body.error_description).toMatch(/^[\x20\x21\x23-\x5B\x5D-\x7E]+$/);
		},
	);

	test("§4.1.3: without the redirect_uri of the authorization request the code is refused", async () => {
		const { redirect_uri: _left, ...members } = await freshCode();
		expect(await errorOf(await token({ ...members, ...inBody(clients.first) }))).toBe("invalid_grant");
	});

	test("another media type is refused with an OAuth error", async () => {
		const response = await fetch(`${issuer.url}/api/v1/token`, {
			method: "POST",
			headers: { "content-type": "text/xml" },
			body: "<x/>",
		});
		expect([response.status, await errorOf(response)]).toEqual([400, "invalid_request"]);
	});
});

describe("§4.4 client credentials", () => {
	test("a confidential client gets a token of its own that oauth4webapi accepts, and no refresh token (§4.4.3)", async () => {
		const machine = await makeRelyingParty(issuer, clients.machine);
		const { as, client, authentication } = machine;
		const response = await oauth.clientCredentialsGrantRequest(
			as,
			client,
			authentication,
			{ scope: "catalog:view" },
			insecure,
		);
		const tokens = await oauth.processClientCredentialsResponse(as, client, response);
		expect(tokens).toMatchObject({ token_type: "bearer", scope: "catalog:view" });
		expect(tokens).not.toHaveProperty("refresh_token");
		expect(tokens).not.toHaveProperty("id_token");
	});

	test("§4.4: a public client may not", async () => {
		const response = await token({ grant_type: "client_credentials", client_id: clients.spa.id });
		expect(await errorOf(response)).toBe("unauthorized_client");
	});

	test("§3.3: a scope the client does not have is invalid_scope", async () => {
		const members = { ...inBody(clients.machine), grant_type: "client_credentials", scope: "riders:read" };
		expect(await errorOf(await token(members))).toBe("invalid_scope");
	});
});

describe("§6 refreshing", () => {
	const refresh = (refreshToken: string | undefined, more: Record<string, string> = {}) =>
		token({
			...inBody(clients.first),
			grant_type: "refresh_token",
			refresh_token: refreshToken ?? "",
			...more,
		});
	type Answer = { scope: string; access_token: string; refresh_token: string };
	const claimsOf = (jwt: string) =>
		JSON.parse(Buffer.from(jwt.split(".")[1] ?? "", "base64url").toString()) as {
			aud: string;
			scope: string;
		};

	test("a scope that was not granted is invalid_scope, and the token is as good as before", async () => {
		const { tokens } = await rp.walk(browser, { scope: "openid offline_access" });
		for (const scope of ["openid email", "openid unheard-of", "unheard-of"]) {
			const refused = await refresh(tokens.refresh_token, { scope });
			expect(refused.status, scope).toBe(400);
			expect(await errorOf(refused), scope).toBe("invalid_scope");
		}
		issuer.forward(60);
		expect((await refresh(tokens.refresh_token)).status).toBe(200);
	});

	test("a narrower scope is in that access token alone; the next one may have all of it again", async () => {
		const { tokens } = await rp.walk(browser, { scope: "openid email offline_access" });
		const narrow = (await (await refresh(tokens.refresh_token, { scope: "openid openid" })).json()) as Answer;
		expect(narrow.scope).toBe("openid");
		expect(claimsOf(narrow.access_token).scope).toBe("openid");
		const whole = (await (await refresh(narrow.refresh_token)).json()) as Answer;
		expect(new Set(whole.scope.split(" "))).toEqual(new Set(["openid", "email", "offline_access"]));
	});

	test("RFC 8707 §2.2: a resource narrows one access token; one that was not granted is invalid_target", async () => {
		const whole = await rp.walk(browser, { scope: "openid offline_access" });
		const narrow = (await (
			await refresh(whole.tokens.refresh_token, { resource: "urn:lango:hospital" })
		).json()) as Answer;
		expect(claimsOf(narrow.access_token).aud).toBe("urn:lango:hospital");
		const next = (await (await refresh(narrow.refresh_token)).json()) as Answer;
		expect(claimsOf(next.access_token).aud).toBe("lango");

		const bound = await rp.walk(browser, { scope: "openid offline_access", resource: "urn:lango:hospital" });
		for (const resource of ["urn:lango:pos", "lango", "https://elsewhere.example"])
			expect(await errorOf(await refresh(bound.tokens.refresh_token, { resource }))).toBe("invalid_target");
		const same = await refresh(bound.tokens.refresh_token, { resource: "urn:lango:hospital" });
		expect(same.status).toBe(200);
	});
});
