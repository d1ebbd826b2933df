import * as oauth from "oauth4webapi";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Browser, openBrowser } from "./browser.ts";
import { clients } from "./clients.ts";
import { type Issuer, startIssuer } from "./issuer.ts";
import { insecure, makeRelyingParty, type RelyingParty } from "./relying-party.ts";

// RFC 7009: a client says that a token is to be good no more.

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

const scope = "openid offline_access";
const own = { client_id: clients.first.id, client_secret: clients.first.secret };
const revoke = (members: Record<string, string>) => issuer.post("/api/v1/revoke", members);
const userinfo = async (token: string) =>
	(await fetch(rp.as.userinfo_endpoint ?? "", { headers: { authorization: `Bearer ${token}` } })).status;
const refresh = async (token: string) =>
	(await issuer.post("/api/v1/token", { ...own, grant_type: "refresh_token", refresh_token: token })).status;

test.each(["refresh_token", "access_token"] as const)(
	"§2.1: oauth4webapi revokes the %s, and both tokens of the grant are dead",
	async (kind) => {
		const { tokens } = await rp.walk(browser, { scope });
		const { as, client, authentication } = rp;
		const response = await oauth.revocationRequest(as, client, authentication, tokens[kind] ?? "", insecure);
		await oauth.processRevocationResponse(response);
		expect(await userinfo(tokens.access_token)).toBe(401);
		expect(await refresh(tokens.refresh_token ?? "")).toBe(400);
	},
);

test("§2.1: a wrong or unknown token_type_hint is ignored", async () => {
	for (const token_type_hint of ["access_token", "unknown_type"]) {
		const { tokens } = await rp.walk(browser, { scope });
		expect((await revoke({ ...own, token: tokens.refresh_token ?? "", token_type_hint })).status).toBe(200);
		expect(await refresh(tokens.refresh_token ?? "")).toBe(400);
	}
});

test("§2.1: an access token narrowed to one service is revoked like any other (RFC 8707)", async () => {
	const { tokens } = await rp.walk(browser, { scope, resource: "urn:lango:hospital" });
	expect((await revoke({ ...own, token: tokens.access_token })).status).toBe(200);
	expect(await refresh(tokens.refresh_token ?? "")).toBe(400);
});

test("§2.1: a token of another client is not revoked", async () => {
	const { tokens } = await rp.walk(browser, { scope });
	const response = await revoke({
		client_id: clients.second.id,
		client_secret: clients.second.secret,
		token: tokens.refresh_token ?? "",
	});
	expect(response.status).toBe(400);
	expect(await userinfo(tokens.access_token)).toBe(200);
});

test("§2.1: a client that does not prove itself is refused, and the token lives", async () => {
	const { tokens } = await rp.walk(browser, { scope });
	const response = await revoke({ ...own, client_secret: "wrong", token: tokens.refresh_token ?? "" });
	expect(response.status).toBe(401);
	expect(await userinfo(tokens.access_token)).toBe(200);
});

test("§2.1: a public client says who it is, and may", async () => {
	const spa = await makeRelyingParty(issuer, clients.spa);
	const { tokens } = await spa.walk(browser, { scope });
	expect((await revoke({ client_id: clients.spa.id, token: tokens.refresh_token ?? "" })).status).toBe(200);
	expect(await userinfo(tokens.access_token)).toBe(401);
});

test("§2.2: a token that is invalid, or was revoked before, is answered with 200", async () => {
	const { tokens } = await rp.walk(browser, { scope });
	for (const token of ["garbage", tokens.refresh_token ?? "", tokens.refresh_token ?? ""])
		expect((await revoke({ ...own, token })).status).toBe(200);
});

test("§2.2.1: without a token the request is invalid", async () => {
	const response = await revoke(own);
	expect(response.status).toBe(400);
	expect(await response.json()).toMatchObject({ error: "invalid_request" });
});

test("§2.3: the page of a registered front end may revoke from its own origin", async () => {
	const response = await issuer.post(
		"/api/v1/revoke",
		{ client_id: clients.spa.id, token: "x" },
		{ origin: "https://spa.example" },
	);
	expect(response.headers.get("access-control-allow-origin")).toBe("https://spa.example");
});

test("revoking one session leaves the person's others, and the browser's own, alone", async () => {
	const here = await rp.walk(browser, { scope });
	const there = await rp.walk(browser, { scope });
	await revoke({ ...own, token: here.tokens.refresh_token ?? "" });
	expect(await userinfo(there.tokens.access_token)).toBe(200);
	expect((await rp.walk(browser)).signIns).toBe(0);
});
