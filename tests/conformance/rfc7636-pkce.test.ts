import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Browser, locationOf, openBrowser } from "./browser.ts";
import { type Client, clients } from "./clients.ts";
import { type Issuer, startIssuer } from "./issuer.ts";
import { makeRelyingParty } from "./relying-party.ts";

// RFC 7636 and what RFC 9700 §2.1.1 makes of it: only S256, for every public client and for most confidential
// ones.

let issuer: Issuer;
let browser: Browser;
beforeAll(async () => {
	issuer = await startIssuer();
	browser = openBrowser(issuer);
	await browser.signIn();
});
afterAll(() => issuer?.close());

const challengeOf = (verifier: string) => createHash("sha256").update(verifier, "ascii").digest("base64url");
const none = { code_challenge: undefined, code_challenge_method: undefined };
const sentTo = async (client: Client, members: Record<string, string | undefined>) => {
	const { url } = await (await makeRelyingParty(issuer, client)).ask(members);
	return locationOf(await browser.get(url));
};
const trade = async (client: Client, code: string | null, verifier: string | undefined) => {
	const response = await issuer.post("/api/v1/token", {
		grant_type: "authorization_code",
		code: code ?? "",
		redirect_uri: client.redirectUris[0] ?? "",
		client_id: client.id,
		...(client.secret !== undefined && { client_secret: client.secret }),
		...(verifier !== undefined && { code_verifier: verifier }),
	});
	return { status: response.status, ...((await response.json()) as { error?: string }) };
};
const codeFor = async (client: Client, verifier: string) =>
	(await sentTo(client, { code_challenge: challengeOf(verifier) })).searchParams.get("code");

const fitting = "a".repeat(43);

describe("§4.2 to §4.4 the challenge", () => {
	test("oidcc-ensure-request-with-valid-pkce-succeeds, Appendix B: the RFC's own verifier and challenge fit", async () => {
		const { searchParams } = await sentTo(clients.spa, {
			code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
		});
		const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
		expect((await trade(clients.spa, searchParams.get("code"), verifier)).status).toBe(200);
	});

	test.each([
		["a public client", clients.spa],
		["a confidential client that is not exempt", clients.strict],
	])("§4.4.1: %s without a challenge gets invalid_request", async (_who, client) => {
		expect((await sentTo(client, none)).searchParams.get("error")).toBe("invalid_request");
	});

	test("RFC 9700 §2.1.1: a confidential client that is exempt may leave it out, and then needs no verifier", async () => {
		const code = (await sentTo(clients.first, none)).searchParams.get("code");
		expect((await trade(clients.first, code, undefined)).status).toBe(200);
	});

	test.each([
		["plain", { code_challenge_method: "plain" }],
		["no method, which means plain (§4.3)", { code_challenge_method: undefined }],
		["s256 in lower case", { code_challenge_method: "s256" }],
		["an unknown method", { code_challenge_method: "S512" }],
		["a method without a challenge", { code_challenge: undefined }],
		["a challenge with padding", { code_challenge: `${challengeOf(fitting)}=` }],
		["a challenge that is too short", { code_challenge: challengeOf(fitting).slice(1) }],
		["a challenge in the other base64", { code_challenge: `${challengeOf(fitting).slice(2)}+/` }],
	])("§4.3: %s is refused, for confidential clients, too", async (_what, members) => {
		for (const client of [clients.spa, clients.first])
			expect((await sentTo(client, members)).searchParams.get("error")).toBe("invalid_request");
	});
});

describe("§4.1, §4.5, §4.6 the verifier", () => {
	test.each([
		["of the least length, 43", fitting],
		["of the greatest length, 128", "Z".repeat(128)],
		["of every kind of character", `${"aZ09-._~".repeat(6)}`],
	])("one %s is good", async (_what, verifier) => {
		expect((await trade(clients.spa, await codeFor(clients.spa, verifier), verifier)).status).toBe(200);
	});

	test.each([
		["of 42 characters", "a".repeat(42)],
		["of 129 characters", "a".repeat(129)],
		["with a plus sign", `${"a".repeat(42)}+`],
		["with a space", `${"a".repeat(42)} `],
		["with an umlaut", `${"a".repeat(42)}ü`],
		["with padding", `${"a".repeat(42)}=`],
		["with a line end", `${"a".repeat(43)}\n`],
	])("§4.1: one %s is refused even when it fits the challenge", async (_what, verifier) => {
		const { status, error } = await trade(clients.spa, await codeFor(clients.spa, verifier), verifier);
		expect(status).toBe(400);
		expect(["invalid_request", "invalid_grant"]).toContain(error);
	});

	test.each([
		["that does not fit", "b".repeat(43)],
		["that is the challenge itself", challengeOf(fitting)],
	])("§4.6: one %s is invalid_grant, and the code is burnt", async (_what, verifier) => {
		const code = await codeFor(clients.spa, fitting);
		expect(await trade(clients.spa, code, verifier)).toMatchObject({ status: 400, error: "invalid_grant" });
		expect(await trade(clients.spa, code, fitting)).toMatchObject({ status: 400, error: "invalid_grant" });
	});

	test("§4.6: no verifier for a code with a challenge is invalid_grant for every client", async () => {
		for (const client of [clients.spa, clients.first])
			expect(await trade(client, await codeFor(client, fitting), undefined)).toMatchObject({
				error: "invalid_grant",
			});
	});

	test("RFC 9700 §4.8.2: a verifier for a code without a challenge is refused, so none can be stripped off", async () => {
		const code = (await sentTo(clients.first, none)).searchParams.get("code");
		expect(await trade(clients.first, code, fitting)).toMatchObject({ error: "invalid_grant" });
	});
});
