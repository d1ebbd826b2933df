import { afterAll, beforeAll, expect, test } from "vitest";
import { type Browser, openBrowser } from "./browser.ts";
import { clients } from "./clients.ts";
import { type Issuer, startIssuer } from "./issuer.ts";
import { makeRelyingParty, type RelyingParty } from "./relying-party.ts";

// RFC 6750: how a bearer token is shown, and how it is refused.

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

const userinfo = (headers: Record<string, string> = {}, query = "") =>
	fetch(`${rp.as.userinfo_endpoint}${query}`, { headers });
const bearer = (token = "") => ({ authorization: `Bearer ${token}` });

test("§2.1: the scheme is not case-sensitive", async () => {
	const { tokens } = await rp.walk(browser);
	expect((await userinfo({ authorization: `bearer ${tokens.access_token}` })).status).toBe(200);
});

test("§2.3, RFC 9700 §4.3.2: a token in the address is not taken", async () => {
	const { tokens } = await rp.walk(browser);
	expect((await userinfo({}, `?access_token=${tokens.access_token}`)).status).toBe(401);
});

test("§3: without a token the challenge names the scheme with a parameter, and (§3.1) no error", async () => {
	const response = await userinfo();
	expect(response.status).toBe(401);
	const challenge = response.headers.get("www-authenticate");
	expect(challenge).toMatch(/^Bearer \w+="[^"]+"/);
	expect(challenge).not.toContain("error");
});

test.each([
	["garbage", "garbage"],
	["three parts of nothing", "a.b.c"],
	["an unsigned token", `${Buffer.from('{"alg":"none","typ":"at+jwt"}').toString("base64url")}.e30.`],
])("§3.1: %s is 401 invalid_token", async (_what, token) => {
	const response = await userinfo(bearer(token));
	expect(response.status).toBe(401);
	expect(response.headers.get("www-authenticate")).toContain('error="invalid_token"');
});

test("§3.1: an expired token, a refresh token, an ID token and a program's own are 401 invalid_token", async () => {
	const { tokens } = await rp.walk(browser, { scope: "openid offline_access" });
	const machine = await issuer.post("/api/v1/token", {
		grant_type: "client_credentials",
		client_id: clients.machine.id,
		client_secret: clients.machine.secret,
	});
	const { access_token: own } = (await machine.json()) as { access_token: string };
	for (const token of [tokens.refresh_token, tokens.id_token, own]) {
		const response = await userinfo(bearer(token));
		expect(response.status).toBe(401);
		expect(response.headers.get("www-authenticate")).toContain('error="invalid_token"');
	}
	issuer.forward(6 * 3_600 + 61);
	expect((await userinfo(bearer(tokens.access_token))).status).toBe(401);
	issuer.forward(-6 * 3_600 - 61);
});

test("§3.1: a token without the scope openid is 403 insufficient_scope, which names the required scope", async () => {
	const { tokens } = await rp.walk(browser, { scope: "email", nonce: undefined });
	const response = await userinfo(bearer(tokens.access_token));
	expect(response.status).toBe(403);
	expect(response.headers.get("www-authenticate")).toMatch(
		/^Bearer .*error="insufficient_scope".*scope="openid"/,
	);
});
