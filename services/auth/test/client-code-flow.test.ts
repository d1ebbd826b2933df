import { createHash } from "node:crypto";
import { memoryStorage } from "@lango/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { goThrough, type ListeningSignOn, listenSignOn, openTab, settled, signInto } from "./front-end.ts";
import { openBrowser } from "./sign-on.ts";

let signOn: ListeningSignOn;
beforeAll(async () => {
	signOn = await listenSignOn();
});
afterAll(() => signOn.close());

test("a person is signed in by the code flow and led back to where they wanted to go", async () => {
	const browser = openBrowser(signOn.app);
	await browser.signIn("admin@uhai.example");
	const tab = openTab(signOn);
	await tab.client.signIn();
	expect(tab.client.getState().status).toBe("leaving");
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
		scope: "openid profile email offline_access",
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
