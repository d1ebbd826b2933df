import { createHash } from "node:crypto";
import { memoryStorage } from "@lango/client";
import { expect, test } from "vitest";
import { goThrough, openTab, settled, setUpListeningSignOn, signInto } from "./front-end.ts";
import { openBrowser } from "./sign-on.ts";

const signOn = setUpListeningSignOn();

test("a person is signed in by the code flow and led back to where they wanted to go", async () => {
	const browser = openBrowser(signOn.app);
	await browser.signIn("admin@uhai.example");
	const tab = openTab(signOn);
	await tab.client.signIn();
	expect(tab.client.getState().status).toBe("redirecting");
	const returnTo = await tab.client.completeSignIn(await goThrough(browser, tab));
	expect(returnTo).toBe("/uhai/people?page=2");
	expect(await settled(tab.client)).toMatchObject({
		status: "ready",
		profile: { email: "admin@uhai.example", tenantSlug: "uhai", globalRoles: ["admin"], isHqUser: true },
	});
});

test("the state is 16 bytes as hex, the challenge the SHA-256 of 32 random bytes that never leave before the code", async () => {
	const kept = memoryStorage();
	const tab = openTab(signOn, { tab: kept });
	await tab.client.signIn({ tenant: "uhai", loginHint: "nurse@uhai.example", prompt: "login" });
	const { searchParams } = new URL(tab.left[0] ?? "");
	const { verifier, state } = JSON.parse(kept.get("lango:console-ui:sign-in") ?? "{}");
	expect(Buffer.from(verifier, "base64url")).toHaveLength(32);
	expect(state).toMatch(/^[0-9a-f]{32}$/);
	expect(Object.fromEntries(searchParams)).toEqual({
		response_type: "code",
		client_id: "console-ui",
		redirect_uri: "http://localhost:3001/auth/callback",
		scope: "openid profile email offline_access lango.api",
		state,
		code_challenge: createHash("sha256").update(verifier).digest("base64url"),
		code_challenge_method: "S256",
		tenant: "uhai",
		login_hint: "nurse@uhai.example",
		prompt: "login",
	});
	expect(tab.left[0]).not.toContain(verifier);
});

test("a refresh token in the storage of the app's choice outlives the page; the access token does not", async () => {
	const storage = memoryStorage();
	const first = openTab(signOn, { storage });
	await signInto(signOn, first, "admin@uhai.example");
	const again = openTab(signOn, { storage });
	await again.client.start();
	expect(again.client.getState()).toMatchObject({ status: "ready", profile: { tenantSlug: "uhai" } });
	expect(again.asked[0]).toBe("POST /api/v1/auth/refresh");
});

/** A tab that left for the sign-on service and the address that led back, of somebody signed in. */
async function comeBack() {
	const browser = openBrowser(signOn.app);
	await browser.signIn("admin@uhai.example");
	const kept = memoryStorage();
	const tab = openTab(signOn, { tab: kept });
	await tab.client.signIn();
	return { tab, kept, address: new URL(await goThrough(browser, tab)) };
}

test("a callback with another state is refused, and the verifier is gone with it", async () => {
	const { tab, kept, address } = await comeBack();
	address.searchParams.set("state", "0".repeat(32));
	await expect(tab.client.completeSignIn(address.href)).rejects.toMatchObject({ code: "state_mismatch" });
	expect(tab.client.getState()).toMatchObject({ status: "failed", error: { code: "state_mismatch" } });
	expect(kept.get("lango:console-ui:sign-in")).toBeUndefined();
	expect(tab.asked).toEqual([]);
});

test("a verifier is used once: the same callback again is refused, and its code not sent", async () => {
	const { tab, kept, address } = await comeBack();
	await tab.client.completeSignIn(address.href);
	await settled(tab.client);
	const again = openTab(signOn, { tab: kept });
	await expect(again.client.completeSignIn(address.href)).rejects.toMatchObject({ code: "state_unknown" });
	expect(again.asked).toEqual([]);
});

test("a page that takes the same callback twice at once trades the code once", async () => {
	const { tab, address } = await comeBack();
	const both = await Promise.all([1, 2].map(() => tab.client.completeSignIn(address.href)));
	expect(both).toEqual(["/uhai/people?page=2", "/uhai/people?page=2"]);
	expect(tab.asked.filter((line) => line === "POST /api/v1/token")).toHaveLength(1);
	expect(await settled(tab.client)).toMatchObject({ status: "ready" });
});

test("an answer of another issuer is refused", async () => {
	const { tab, address } = await comeBack();
	expect(address.searchParams.get("iss")).toBe(signOn.url);
	address.searchParams.set("iss", "https://evil.example");
	await expect(tab.client.completeSignIn(address.href)).rejects.toMatchObject({ code: "issuer_mismatch" });
	expect(tab.asked).toEqual([]);
});

test("an error of the issuer is shown with the issuer's text", async () => {
	const tab = openTab(signOn);
	await tab.client.signIn({ prompt: "none" });
	const address = await goThrough(openBrowser(signOn.app), tab);
	await expect(tab.client.completeSignIn(address)).rejects.toMatchObject({ code: "login_required" });
	expect(tab.client.getState()).toMatchObject({ status: "failed", error: { code: "login_required" } });
	await tab.client.signIn();
	expect(tab.left).toHaveLength(2);
});

test("a callback without a code is refused, and a code that ran out is refused by the token endpoint", async () => {
	const first = await comeBack();
	first.address.searchParams.delete("code");
	await expect(first.tab.client.completeSignIn(first.address.href)).rejects.toMatchObject({
		code: "code_missing",
	});
	const { tab, address } = await comeBack();
	signOn.now.forward(61);
	await expect(tab.client.completeSignIn(address.href)).rejects.toMatchObject({
		code: "invalid_grant",
		status: 400,
		requestId: expect.any(String),
	});
});

test.each([
	"https://evil.example/",
	"//evil.example/x",
	"/\\evil.example",
	"javascript:alert(1)",
	"/.//evil.example",
])("a sign-in never leads on to %s", async (returnTo) => {
	const browser = openBrowser(signOn.app);
	await browser.signIn("admin@uhai.example");
	const tab = openTab(signOn);
	await tab.client.signIn({ returnTo });
	expect(await tab.client.completeSignIn(await goThrough(browser, tab))).toBe("/");
	await settled(tab.client);
});

test("a client with a callback below each tenant signs in to the tenant it names", async () => {
	const browser = openBrowser(signOn.app);
	await browser.signIn("admin@uhai.example");
	const tab = openTab(signOn, { redirectUri: "http://localhost:3001/{tenant}/auth/callback" });
	await expect(tab.client.signIn()).rejects.toThrow("needs a tenant");
	await tab.client.signIn({ tenant: "uhai" });
	const address = await goThrough(browser, tab);
	expect(address).toMatch(/^http:\/\/localhost:3001\/uhai\/auth\/callback\?/);
	await tab.client.completeSignIn(address);
	expect(await settled(tab.client)).toMatchObject({ status: "ready", profile: { tenantSlug: "uhai" } });
});
