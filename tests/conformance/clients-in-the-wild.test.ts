import { OidcClient } from "oidc-client-ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Browser, locationOf, openBrowser, someone } from "./browser.ts";
import { clients } from "./clients.ts";
import { type Issuer, startIssuer } from "./issuer.ts";

// What clients that are much used send, as they send it.

let issuer: Issuer;
let browser: Browser;
beforeAll(async () => {
	issuer = await startIssuer();
	browser = openBrowser(issuer);
	await browser.signIn();
});
afterAll(() => issuer?.close());

describe("oidc-client-ts", () => {
	const { id, redirectUris, postLogoutRedirectUris } = clients.spa;
	const settings = () => ({
		authority: issuer.url,
		client_id: id,
		redirect_uri: redirectUris[0],
		post_logout_redirect_uri: postLogoutRedirectUris[0],
		scope: "openid profile email offline_access",
	});

	test("signs a person in with no option at all, reads userinfo, and signs them out", async () => {
		const mine = openBrowser(issuer);
		const client = new OidcClient({ ...settings(), loadUserInfo: true });
		const { url } = await client.createSigninRequest({ state: { page: "/orders" } });
		const { callback } = await mine.authorize(url);
		const answer = await client.processSigninResponse(callback.href);
		expect(answer.profile.email).toBe(someone);
		expect(answer.userState).toEqual({ page: "/orders" });

		const signOut = await client.createSignoutRequest({ id_token_hint: answer.id_token ?? "", state: "bye" });
		const after = locationOf(await mine.get(signOut.url));
		expect(after.href.startsWith(postLogoutRedirectUris[0])).toBe(true);
		expect((await client.processSignoutResponse(after.href)).error).toBeNull();
	});

	test("renews by its refresh token and revokes what it holds", async () => {
		const client = new OidcClient(settings());
		const { url } = await client.createSigninRequest({});
		const answer = await client.processSigninResponse((await browser.authorize(url)).callback.href);
		const renewed = await client.useRefreshToken({
			state: {
				data: undefined,
				id_token: answer.id_token ?? "",
				session_state: null,
				profile: answer.profile,
				refresh_token: answer.refresh_token ?? "",
				scope: answer.scope ?? "",
			},
		});
		expect(renewed.access_token).not.toBe(answer.access_token);
		expect(renewed.refresh_token).not.toBe(answer.refresh_token);
		await client.revokeToken(renewed.refresh_token ?? "", "refresh_token");
		const dead = await fetch(`${issuer.url}/api/v1/userinfo`, {
			headers: { authorization: `Bearer ${renewed.access_token}` },
		});
		expect(dead.status).toBe(401);
	});

	test("silent sign-in in a frame gets login_required without a browser session", async () => {
		const client = new OidcClient(settings());
		const { url } = await client.createSigninRequest({ prompt: "none" });
		const callback = locationOf(await openBrowser(issuer).get(url));
		await expect(client.processSigninResponse(callback.href)).rejects.toMatchObject({
			error: "login_required",
		});
	});
});

/** A request made by hand, and the code the browser comes back with. */
async function codeFor(query: readonly [string, string][]): Promise<string> {
	const url = `${issuer.url}/api/v1/authorize?${new URLSearchParams([...query])}`;
	const { callback } = await browser.authorize(url);
	expect(callback.searchParams.get("error")).toBeNull();
	return callback.searchParams.get("code") ?? "";
}

describe("Apache mod_auth_openidc", () => {
	const { id, secret, redirectUris } = clients.awkward;

	test("its request, its form-encoded secret in the header, its userinfo by GET, its refresh", async () => {
		const code = await codeFor([
			["response_type", "code"],
			["scope", "openid email profile offline_access"],
			["client_id", id],
			["state", "Pe3yRJxVd0WJ8jFtN1pMZ2yP-4k"],
			["redirect_uri", redirectUris[0]],
			["nonce", "6_6x4C2QxAzv3Ie1yOa9zU4q2v7T9bZ0mBQ0h0jyXdk"],
		]);
		const encode = (text: string) => new URLSearchParams([["", text]]).toString().slice(1);
		const authorization = `Basic ${Buffer.from(`${encode(id)}:${encode(secret)}`).toString("base64")}`;
		const form = { "content-type": "application/x-www-form-urlencoded", "user-agent": "mod_auth_openidc" };
		const response = await fetch(`${issuer.url}/api/v1/token`, {
			method: "POST",
			headers: { ...form, authorization },
			body: new URLSearchParams({ grant_type: "authorization_code", code, redirect_uri: redirectUris[0] }),
		});
		expect(response.status).toBe(200);
		const tokens = (await response.json()) as Record<string, string>;
		expect(tokens.token_type).toBe("Bearer");
		const info = await fetch(`${issuer.url}/api/v1/userinfo`, {
			headers: { authorization: `Bearer ${tokens.access_token}` },
		});
		expect(await info.json()).toMatchObject({ email: someone });
		const next = await fetch(`${issuer.url}/api/v1/token`, {
			method: "POST",
			headers: { ...form, authorization },
			body: new URLSearchParams({
				grant_type: "refresh_token",
				refresh_token: tokens.refresh_token ?? "",
				scope: "openid email profile offline_access",
			}),
		});
		expect(next.status).toBe(200);
	});

	test("a percent sign encoded in small letters is read alike", async () => {
		const code = await codeFor([
			["response_type", "code"],
			["scope", "openid"],
			["client_id", id],
			["redirect_uri", redirectUris[0]],
		]);
		const encode = (text: string) =>
			encodeURIComponent(text).replaceAll(/%[0-9A-F]{2}/g, (escaped) => escaped.toLowerCase());
		const authorization = `Basic ${Buffer.from(`${encode(id)}:${encode(secret)}`).toString("base64")}`;
		const members = { grant_type: "authorization_code", code, redirect_uri: redirectUris[0] };
		expect((await issuer.post("/api/v1/token", members, { authorization })).status).toBe(200);
	});
});

describe("Authlib", () => {
	const { id, secret, redirectUris } = clients.first;

	test("its request, its plain secret in the header, its trailing parameters", async () => {
		const code = await codeFor([
			["response_type", "code"],
			["client_id", id],
			["redirect_uri", redirectUris[0]],
			["scope", "openid email offline_access"],
			["state", "Vl5B1yTjJ1C3AXBfrJvIZcsHdS2Lrn"],
			["nonce", "Fz9gq5Y2GZ1dW3tXbVkL"],
			["access_type", "offline"],
		]);
		const response = await issuer.post(
			"/api/v1/token",
			{ grant_type: "authorization_code", redirect_uri: redirectUris[0], code },
			{
				authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`,
				"content-type": "application/x-www-form-urlencoded;charset=UTF-8",
				accept: "application/json",
			},
		);
		expect(response.status).toBe(200);
		const { refresh_token: token = "" } = (await response.json()) as { refresh_token?: string };
		const members = {
			grant_type: "refresh_token",
			refresh_token: token,
			scope: "openid email offline_access",
		};
		const next = await issuer.post("/api/v1/token", { ...members, client_id: id, client_secret: secret });
		expect(next.status).toBe(200);
	});

	test("its scope given twice in one parameter counts once", async () => {
		const code = await codeFor([
			["response_type", "code"],
			["client_id", id],
			["redirect_uri", redirectUris[0]],
			["scope", "openid email openid  email"],
		]);
		const response = await issuer.post("/api/v1/token", {
			grant_type: "authorization_code",
			redirect_uri: redirectUris[0],
			code,
			client_id: id,
			client_secret: secret,
		});
		expect(await response.json()).toMatchObject({ scope: "openid email" });
	});
});

describe("pages that call across origins", () => {
	const { id, redirectUris } = clients.spa;
	const origin = new URL(redirectUris[0]).origin;

	test.each([
		["GET", "/.well-known/openid-configuration"],
		["GET", "/.well-known/jwks.json"],
		["POST", "/api/v1/token"],
		["GET", "/api/v1/userinfo"],
		["POST", "/api/v1/revoke"],
	])(
		"the preflight for %s %s is answered to a registered origin; to others only for public documents, without credentials",
		async (method, path) => {
			const preflight = async (from: string) =>
				(
					await fetch(`${issuer.url}${path}`, {
						method: "OPTIONS",
						headers: {
							origin: from,
							"access-control-request-method": method,
							"access-control-request-headers": "authorization, content-type",
						},
					})
				).headers;
			const allowed = await preflight(origin);
			expect(allowed.get("access-control-allow-origin")).toBe(origin);
			expect(allowed.get("access-control-allow-headers")?.toLowerCase()).toContain("authorization");
			const isPublic = path.startsWith("/.well-known/");
			for (const stranger of ["https://evil.example", `${origin}.evil.example`, "null"]) {
				const answer = await preflight(stranger);
				expect(answer.get("access-control-allow-origin")).toBe(isPublic ? "*" : null);
				expect(answer.get("access-control-allow-credentials")).toBeNull();
			}
		},
	);

	test("a refused token request can be read by the page, too", async () => {
		const members = { grant_type: "authorization_code", code: "x", client_id: id };
		const response = await issuer.post("/api/v1/token", members, { origin });
		expect(response.status).toBe(400);
		expect(response.headers.get("access-control-allow-origin")).toBe(origin);
	});
});
