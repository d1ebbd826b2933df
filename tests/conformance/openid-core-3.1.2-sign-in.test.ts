import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Browser, locationOf, openBrowser, somebodyElse, someone } from "./browser.ts";
import { clients } from "./clients.ts";
import { type Issuer, startIssuer } from "./issuer.ts";
import { makeRelyingParty, type RelyingParty } from "./relying-party.ts";

// OpenID Connect Core §3.1.2.1 and §3.1.2.3: what a client may ask of the sign-in itself.

let issuer: Issuer;
let rp: RelyingParty;
let second: RelyingParty;
beforeAll(async () => {
	issuer = await startIssuer();
	rp = await makeRelyingParty(issuer, clients.first);
	second = await makeRelyingParty(issuer, clients.second);
});
afterAll(() => issuer?.close());

const openSignedIn = async (email = someone): Promise<Browser> => {
	const browser = openBrowser(issuer);
	await browser.signIn(email);
	return browser;
};
/** Where the browser is sent without doing anything more. */
const sentTo = async (browser: Browser, members: Record<string, string>) => {
	const asked = await rp.ask(members);
	return { asked, to: locationOf(await browser.get(asked.url)) };
};

describe("prompt", () => {
	test("oidcc-prompt-login: a signed-in person signs in again, and the ID token has the later time", async () => {
		const browser = openBrowser(issuer);
		const before = await rp.walk(browser);
		issuer.forward(2);
		const after = await rp.walk(browser, { prompt: "login", scope: "openid" });
		expect(after.signIns).toBe(1);
		expect(after.claims.sub).toBe(before.claims.sub);
		expect(after.claims.auth_time).toBeGreaterThan(before.claims.auth_time ?? Number.NaN);
	});

	test("prompt=login asked for twice is signed in for twice: the address of the first is worth nothing to the second", async () => {
		const browser = await openSignedIn();
		issuer.forward(2);
		await rp.walk(browser, { prompt: "login" });
		issuer.forward(2);
		expect((await rp.walk(browser, { prompt: "login" })).signIns).toBe(1);
	});

	test("oidcc-prompt-none-not-logged-in: login_required, with state, and no page", async () => {
		const { asked, to } = await sentTo(openBrowser(issuer), { prompt: "none" });
		expect(to.origin).toBe("https://rp.example");
		expect(to.searchParams.get("error")).toBe("login_required");
		expect(to.searchParams.get("state")).toBe(asked.state);
	});

	test("oidcc-prompt-none-logged-in: the same person at the same sign-in time, without a page", async () => {
		const browser = openBrowser(issuer);
		const before = await rp.walk(browser);
		issuer.forward(2);
		const after = await rp.walk(browser, { prompt: "none" });
		expect(after.signIns).toBe(0);
		expect(after.claims.sub).toBe(before.claims.sub);
		expect(after.claims.auth_time).toBe(before.claims.auth_time);
	});

	test.each(["none login", "login none", "none consent", "none select_account", "none unheard-of"])(
		"prompt=%s is a contradiction: invalid_request",
		async (prompt) => {
			const { to } = await sentTo(await openSignedIn(), { prompt });
			expect(to.searchParams.get("error")).toBe("invalid_request");
		},
	);

	test("prompt=select_account lets another person take over", async () => {
		const browser = await openSignedIn();
		issuer.forward(2);
		const { claims, signIns } = await rp.walk(
			browser,
			{ prompt: "select_account", scope: "openid email" },
			somebodyElse,
		);
		expect(signIns).toBe(1);
		expect(claims.email).toBe(somebodyElse);
	});
});

describe("max_age", () => {
	test("oidcc-max-age-1: a sign-in older than a second is repeated, and auth_time is that of the new one", async () => {
		const browser = openBrowser(issuer);
		const before = await rp.walk(browser);
		issuer.forward(2);
		const after = await rp.walk(browser, { max_age: "1" });
		expect(after.signIns).toBe(1);
		expect(after.claims.auth_time).toBeGreaterThan(before.claims.auth_time ?? Number.NaN);
	});

	test("oidcc-max-age-10000: a younger sign-in is accepted, and auth_time is that of it", async () => {
		const browser = openBrowser(issuer);
		const before = await rp.walk(browser);
		issuer.forward(2);
		const after = await rp.walk(browser, { max_age: "10000" });
		expect(after.signIns).toBe(0);
		expect(after.claims.auth_time).toBe(before.claims.auth_time);
	});

	test("with prompt=none a sign-in that is too old is login_required", async () => {
		const browser = await openSignedIn();
		issuer.forward(5);
		const { to } = await sentTo(browser, { prompt: "none", max_age: "1" });
		expect(to.searchParams.get("error")).toBe("login_required");
	});
});

describe("hints", () => {
	test("oidcc-id-token-hint: with a hint about who is signed in, prompt=none answers the same person", async () => {
		const browser = openBrowser(issuer);
		const { tokens, claims } = await rp.walk(browser);
		const again = await rp.walk(browser, { prompt: "none", id_token_hint: tokens.id_token });
		expect(again.claims.sub).toBe(claims.sub);
	});

	test("a hint about somebody else answers login_required with prompt=none, and the sign-in page without", async () => {
		const { tokens } = await rp.walk(openBrowser(issuer), {}, somebodyElse);
		const hint = { id_token_hint: tokens.id_token ?? "" };
		const browser = await openSignedIn();
		const silent = await sentTo(browser, { prompt: "none", ...hint });
		expect(silent.to.searchParams.get("error")).toBe("login_required");
		expect((await sentTo(browser, hint)).to.pathname).toBe("/login");
		expect((await rp.walk(browser, hint, somebodyElse)).signIns).toBe(1);
	});

	test("a hint another client got is as good: it is about the person", async () => {
		const browser = openBrowser(issuer);
		const { tokens, claims } = await rp.walk(browser);
		const other = await second.walk(browser, { prompt: "none", id_token_hint: tokens.id_token });
		expect(other.claims.sub).toBe(claims.sub);
	});

	test("oidcc-login-hint: the hint reaches the sign-in page inside return_to", async () => {
		const { to } = await sentTo(openBrowser(issuer), { login_hint: "amina@uhai.example" });
		const back = new URL(to.searchParams.get("return_to") ?? "");
		expect(back.searchParams.get("login_hint")).toBe("amina@uhai.example");
	});
});

describe("one sign-in for many clients", () => {
	test("a second client is served without a page, in a session of its own", async () => {
		const browser = openBrowser(issuer);
		const here = await rp.walk(browser);
		const there = await second.walk(browser);
		expect(there.signIns).toBe(0);
		expect(there.claims.sub).toBe(here.claims.sub);
		expect(there.claims.sid).not.toBe(here.claims.sid);
	});

	test("two tabs that both wait at the sign-in page both get to their end, whichever comes first", async () => {
		const browser = openBrowser(issuer);
		const tabs = await Promise.all([rp.ask(), second.ask()]);
		const [one, two] = await Promise.all(tabs.map(async ({ url }) => locationOf(await browser.get(url))));
		const returnTo = (page: URL | undefined) => page?.searchParams.get("return_to") ?? "";
		await browser.signIn();
		const later = await second.finish(tabs[1], locationOf(await browser.get(returnTo(two))));
		const earlier = await rp.finish(tabs[0], locationOf(await browser.get(returnTo(one))));
		expect(later.id_token).toBeDefined();
		expect(earlier.id_token).toBeDefined();
	});
});
