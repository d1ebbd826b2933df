import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Browser, locationOf, openBrowser, somebodyElse } from "./browser.ts";
import { clients } from "./clients.ts";
import { type Issuer, startIssuer } from "./issuer.ts";
import { makeRelyingParty, type RelyingParty, type Walked } from "./relying-party.ts";

// OpenID Connect RP-Initiated Logout 1.0: the RP-Initiated Logout OP profile, test by test.

let issuer: Issuer;
let rp: RelyingParty;
let browser: Browser;
let walked: Walked;
beforeAll(async () => {
	issuer = await startIssuer();
	rp = await makeRelyingParty(issuer, clients.first);
});
beforeEach(async () => {
	browser = openBrowser(issuer);
	walked = await rp.walk(browser);
});
afterAll(() => issuer?.close());

const home = clients.first.postLogoutRedirectUris[0];
const endSession = (members: Record<string, string | undefined>) => {
	const url = new URL(rp.as.end_session_endpoint ?? "");
	for (const [name, value] of Object.entries(members))
		if (value !== undefined) url.searchParams.set(name, value);
	return url;
};
const hint = () => ({ id_token_hint: walked.tokens.id_token ?? "" });
/** Whether the browser is signed in still, as the profile asks it: by prompt=none. */
const isSignedIn = async () => {
	const { url } = await rp.ask({ prompt: "none" });
	return locationOf(await browser.get(url)).searchParams.has("code");
};
/** A page with words for a person, and no redirect by header or by the page itself. */
async function expectPage(response: Response, words: string) {
	expect(response.headers.get("location")).toBeNull();
	expect(response.headers.get("refresh")).toBeNull();
	expect(response.headers.get("content-type")).toContain("text/html");
	const page = await response.text();
	expect(page).toContain(words);
	expect(page).not.toMatch(/http-equiv|<script|rp\.example|evil\.example/i);
}

describe("§3 the browser is sent back", () => {
	test("rp-initiated-logout: to the registered address, with state; the person is signed out and the tokens are dead", async () => {
		expect(await isSignedIn()).toBe(true);
		const response = await browser.get(
			endSession({ ...hint(), post_logout_redirect_uri: home, state: "a b/&" }),
		);
		expect(response.status).toBe(303);
		expect(locationOf(response).href.split("?")[0]).toBe(home);
		expect([...locationOf(response).searchParams]).toEqual([["state", "a b/&"]]);
		expect(await isSignedIn()).toBe(false);
		const userinfo = await fetch(rp.as.userinfo_endpoint ?? "", {
			headers: { authorization: `Bearer ${walked.tokens.access_token}` },
		});
		expect(userinfo.status).toBe(401);
	});

	test("no-state: without a state there is none in the answer", async () => {
		const response = await browser.get(endSession({ ...hint(), post_logout_redirect_uri: home }));
		expect(locationOf(response).href).toBe(home);
	});

	test("§2: the request comes by POST as well", async () => {
		const url = endSession({});
		const response = await browser.post(url, { ...hint(), post_logout_redirect_uri: home, state: "x" });
		expect(locationOf(response).href).toBe(`${home}?state=x`);
		expect(await isSignedIn()).toBe(false);
	});

	test("a registered query is kept beside state", async () => {
		const [, withQuery] = clients.first.postLogoutRedirectUris;
		const response = await browser.get(
			endSession({ ...hint(), post_logout_redirect_uri: withQuery, state: "x" }),
		);
		expect(locationOf(response).href).toBe(`${withQuery}&state=x`);
	});

	test("§2: client_id may come along when it is the one the hint was made for", async () => {
		const members = { ...hint(), post_logout_redirect_uri: home, client_id: clients.first.id };
		expect(locationOf(await browser.get(endSession(members))).href).toBe(home);
	});

	test("§2: a hint past its expiry will do", async () => {
		const { tokens } = await rp.walk(browser);
		issuer.forward(2 * 3_600);
		const members = { id_token_hint: tokens.id_token ?? "", post_logout_redirect_uri: home };
		expect(locationOf(await browser.get(endSession(members))).href).toBe(home);
		issuer.forward(-2 * 3_600);
	});

	test("§2: logout_hint, ui_locales and unknown parameters are accepted", async () => {
		const more = { logout_hint: "x", ui_locales: "sw en", unknown: "value" };
		const response = await browser.get(endSession({ ...hint(), post_logout_redirect_uri: home, ...more }));
		expect(locationOf(response).href).toBe(home);
	});

	test("a hint of a client with the other algorithm does as well", async () => {
		const elliptic = await makeRelyingParty(issuer, clients.elliptic);
		const { tokens } = await elliptic.walk(browser);
		const [address] = clients.elliptic.postLogoutRedirectUris;
		const members = { id_token_hint: tokens.id_token ?? "", post_logout_redirect_uri: address };
		expect(locationOf(await browser.get(endSession(members))).href).toBe(address);
	});
});

describe("§3 the browser stays", () => {
	test.each([
		["bad-post-logout-redirect-uri", "https://rp.example/elsewhere"],
		["query-added-to-post-logout-redirect-uri", `${home}?foo=bar`],
		["an address of another client", clients.second.postLogoutRedirectUris[0]],
		["a callback, which is registered for something else", clients.first.redirectUris[0]],
		["another scheme", "http://rp.example/signed-out"],
		["a host that only begins alike", "https://rp.example.evil.example/signed-out"],
		["a user in the address", "https://rp.example@evil.example/signed-out"],
		["upper case", "HTTPS://rp.example/signed-out"],
		["a port", "https://rp.example:443/signed-out"],
		["a fragment", `${home}#x`],
		["a way up", "https://rp.example/x/../signed-out"],
		["a script", "javascript:alert(1)"],
	])("%s: the hint signs the person out, and a page says so", async (_name, address) => {
		const response = await browser.get(endSession({ ...hint(), post_logout_redirect_uri: address }));
		await expectPage(response, "You are signed out");
		expect(await isSignedIn()).toBe(false);
	});

	test("no-post-logout-redirect-uri: a page says that the person is signed out", async () => {
		await expectPage(await browser.get(endSession({ ...hint(), state: "x" })), "You are signed out");
		expect(await isSignedIn()).toBe(false);
	});

	test.each([
		["no-params", {}],
		["only-state", { state: "x" }],
		["no-id-token-hint", { post_logout_redirect_uri: home, state: "x" }],
		["no-id-token-hint, with client_id", { post_logout_redirect_uri: home, client_id: clients.first.id }],
	])(
		"%s: the person is asked first, is signed out after a yes, and is not redirected",
		async (_name, members) => {
			await expectPage(await browser.get(endSession(members)), "Sign out?");
			expect(await isSignedIn()).toBe(true);
			await expectPage(await browser.post(endSession({}), { confirm: "yes" }), "You are signed out");
			expect(await isSignedIn()).toBe(false);
		},
	);

	test("bad-id-token-hint and modified-id-token-hint: nothing changes and the browser is not redirected", async () => {
		const [header = "", claims = "", signature = ""] = hint().id_token_hint.split(".");
		const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
		const altered = encode({ ...JSON.parse(Buffer.from(claims, "base64url").toString()), extra: 1 });
		const modified = [
			"bad",
			`${header}.${altered}.${signature}`,
			`${header}.${claims}.${signature.slice(0, -4)}AAAA`,
			`${header}.${claims}.`,
			`${encode({ alg: "none" })}.${claims}.`,
			walked.tokens.access_token,
		];
		for (const id_token_hint of modified) {
			const response = await browser.get(endSession({ id_token_hint, post_logout_redirect_uri: home }));
			expect(response.status).toBe(400);
			await expectPage(response, "could not be signed out");
		}
		expect(await isSignedIn()).toBe(true);
	});

	test("a hint about somebody else does not sign out who is signed in without asking them", async () => {
		const other = await rp.walk(openBrowser(issuer), {}, somebodyElse);
		const members = { id_token_hint: other.tokens.id_token ?? "", post_logout_redirect_uri: home };
		await expectPage(await browser.get(endSession(members)), "Sign out?");
		expect(await isSignedIn()).toBe(true);
	});

	test("§2: client_id beside a hint for another client is refused", async () => {
		const members = { ...hint(), client_id: clients.second.id, post_logout_redirect_uri: home };
		const response = await browser.get(endSession(members));
		expect(response.status).toBe(400);
		expect(await isSignedIn()).toBe(true);
	});
});
