import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Browser, locationOf, openBrowser } from "./browser.ts";
import { type Client, clients } from "./clients.ts";
import { type Issuer, startIssuer } from "./issuer.ts";
import { makeRelyingParty, type RelyingParty } from "./relying-party.ts";

// RFC 9700, the security best current practice, with RFC 8252 for programs and RFC 9207 for the issuer's name
// in answers.

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

const openAt = async (client: Client, redirect_uri: string, more: Record<string, string> = {}) => {
	const { url } = await (await makeRelyingParty(issuer, client)).ask({ redirect_uri, ...more });
	return browser.get(url);
};

describe("§2.1, §4.1 redirect addresses are compared to the letter", () => {
	test.each([
		"https://rp.example/callback/",
		"https://rp.example/callback?",
		"https://rp.example/callback#",
		"https://rp.example/callback#x",
		"https://rp.example/callback?x=1",
		"https://rp.example/callback/../callback",
		"https://rp.example/callback/..;/",
		"https://rp.example/%63allback",
		"https://rp.example/x/%2e%2e/callback",
		"https://rp.example//callback",
		"HTTPS://rp.example/callback",
		"https://RP.example/callback",
		"https://rp.example./callback",
		"https://rp.example:443/callback",
		"http://rp.example/callback",
		"https://rp.example.evil.example/callback",
		"https://rp.example@evil.example/callback",
		"https://user@rp.example/callback",
		"https://evil.example\\@rp.example/callback",
		"//rp.example/callback",
		"/callback",
		" https://rp.example/callback",
		"https://rp.example/callback\n",
		"javascript:alert(1)//https://rp.example/callback",
		"data:text/html,x",
		"https://other.example/callback",
		"*",
	])("%j gets a page, and the browser goes nowhere", async (address) => {
		const response = await openAt(clients.first, address);
		expect(response.status).toBe(400);
		expect(response.headers.get("location")).toBeNull();
	});

	test("§4.11: the service is not an open redirector: errors of an unknown address are a page without a link to it", async () => {
		const response = await openAt(clients.first, "https://evil.example/", { response_type: "token" });
		expect(await response.text()).not.toContain("evil.example");
	});

	test("RFC 8252 §7.3: a program on this machine is served on any port", async () => {
		for (const address of ["http://127.0.0.1:49152/callback", "http://[::1]:8080"])
			expect(locationOf(await openAt(clients.native, address)).searchParams.has("code"), address).toBe(true);
	});

	test.each([
		"http://127.0.0.1:49152/other",
		"http://127.0.0.2:80/callback",
		"http://localhost:1/callback",
		"https://127.0.0.1:1/callback",
		"http://127.0.0.1:70000/callback",
	])("RFC 8252 §7.3: the port is all that is free: %s is refused", async (address) => {
		expect((await openAt(clients.native, address)).status).toBe(400);
	});

	test("RFC 8252 §7.3: the port of the token request is the one the code was asked for with", async () => {
		const native = await makeRelyingParty(issuer, clients.native);
		const walked = await native.walk(browser, { redirect_uri: "http://127.0.0.1:50001/callback" });
		expect(walked.claims.aud).toBe(clients.native.id);
		const asked = await native.ask({ redirect_uri: "http://127.0.0.1:50001/callback" });
		const { callback } = await browser.authorize(asked.url);
		const elsewhere = { ...asked, redirectUri: "http://127.0.0.1:50002/callback" };
		await expect(native.finish(elsewhere, callback)).rejects.toMatchObject({ error: "invalid_grant" });
	});
});

describe("§4.4 mix-up: RFC 9207, the issuer's name", () => {
	test("§2 of RFC 9207: iss comes with every answer, with codes and with errors", async () => {
		for (const more of [{}, { response_type: "token" }, { scope: "openid", prompt: "none login" }])
			expect(
				locationOf(await openAt(clients.first, "https://rp.example/callback", more)).searchParams.get("iss"),
			).toBe(issuer.url);
	});

	test("a form that posts the answer has it, too", async () => {
		const response = await openAt(clients.first, "https://rp.example/callback", {
			response_mode: "form_post",
		});
		expect(await response.text()).toContain(`name="iss" value="${issuer.url}"`);
	});
});

describe("OAuth 2.0 Form Post Response Mode", () => {
	test("§2: the members are in a form that posts itself to the client, and what was sent cannot break out of it", async () => {
		const state = `"><script>alert(1)</script>&amp;'`;
		const response = await openAt(clients.first, "https://rp.example/callback", {
			response_mode: "form_post",
			state,
		});
		expect(response.headers.get("content-type")).toMatch(/^text\/html/);
		const page = await response.text();
		expect(page).toContain('method="post" action="https://rp.example/callback"');
		expect(page).not.toContain("<script>alert");
		const policy = response.headers.get("content-security-policy");
		expect(policy).toContain("form-action https://rp.example");
		expect(policy).toContain("frame-ancestors 'none'");
	});

	test("an answer in the fragment is refused for a code", async () => {
		const to = locationOf(
			await openAt(clients.first, "https://rp.example/callback", { response_mode: "fragment" }),
		);
		expect([to.searchParams.get("error"), to.hash]).toEqual(["invalid_request", ""]);
	});
});

describe("§4.14 refresh tokens", () => {
	const scope = "openid offline_access";
	const refresh = async (token = "") => {
		const members = { client_id: clients.spa.id, grant_type: "refresh_token", refresh_token: token };
		const response = await issuer.post("/api/v1/token", members);
		return (await response.json()) as { refresh_token?: string; error?: string };
	};

	test("§4.14.2: a refresh token of a public client is replaced at each use; the stolen one ends its session and no other", async () => {
		const spa = await makeRelyingParty(issuer, clients.spa);
		const stolen = await spa.walk(browser, { scope });
		const elsewhere = await spa.walk(browser, { scope });
		const second = await refresh(stolen.tokens.refresh_token);
		const third = await refresh(second.refresh_token);
		expect(new Set([stolen.tokens.refresh_token, second.refresh_token, third.refresh_token]).size).toBe(3);
		expect(await refresh(stolen.tokens.refresh_token)).toMatchObject({ error: "invalid_grant" });
		expect(await refresh(third.refresh_token)).toMatchObject({ error: "invalid_grant" });
		expect((await refresh(elsewhere.tokens.refresh_token)).refresh_token).toBeTypeOf("string");
	});

	test("a lost response is not a theft: the same token, sent again soon, gives the same successor", async () => {
		const spa = await makeRelyingParty(issuer, clients.spa);
		const { tokens } = await spa.walk(browser, { scope });
		const [one, two] = await Promise.all([refresh(tokens.refresh_token), refresh(tokens.refresh_token)]);
		expect(one.refresh_token).toBe(two.refresh_token);
		expect((await refresh(one.refresh_token)).refresh_token).toBeTypeOf("string");
	});
});

describe("§4.16 framing, §4.2 leaks", () => {
	test.each(["/api/v1/authorize", "/api/v1/oidc/logout"])(
		"the pages of %s may not be framed and run no script",
		async (path) => {
			const response = await openBrowser(issuer).get(`${issuer.url}${path}`);
			const policy = response.headers.get("content-security-policy") ?? "";
			expect(policy).toContain("frame-ancestors 'none'");
			expect(policy).toContain("default-src 'none'");
			expect(policy).not.toContain("script-src");
			expect(response.headers.get("referrer-policy")).toBe("no-referrer");
		},
	);

	test("§4.2.4: a code that leaked is of no use to another client, nor once more to its own", async () => {
		const asked = await rp.ask();
		const { callback } = await browser.authorize(asked.url);
		const second = await makeRelyingParty(issuer, clients.second);
		await expect(second.finish(asked, callback)).rejects.toMatchObject({ error: "invalid_grant" });
		await expect(rp.finish(asked, callback)).rejects.toMatchObject({ error: "invalid_grant" });
	});
});
