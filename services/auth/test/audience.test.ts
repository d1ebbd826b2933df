import { openKeyRing } from "@lango/signing-keys";
import { readKeyEncryptionKeys, signJwt } from "@lango/tokens";
import { expect, test } from "vitest";
import {
	backend,
	bearer,
	claimsOf,
	obtainCode,
	obtainTokens,
	openBrowser,
	postForm,
	postToken,
	setUpSignOn,
	tradeCode,
} from "./sign-on.ts";

// a platform whose tokens are for another audience than "lango" (LANGO_AUDIENCE)

const signOn = setUpSignOn({ LANGO_AUDIENCE: "soko" });

const ask = (url: string, token: string) => signOn.app.inject({ url, headers: bearer(token) });
const introspect = async (token: string) =>
	(await postForm(signOn.app, "/api/v1/introspect", { members: { token, ...backend } })).json();

test("every access token is for it: a person's, a refreshed one, a sign-in's and a program's", async () => {
	const { access_token, refresh_token } = await obtainTokens(signOn.app, "admin@uhai.example");
	const refreshed = await signOn.refresh(refresh_token);
	const signedIn = await openBrowser(signOn.app).signIn("admin@uhai.example");
	const own = await postToken(signOn.app, { grant_type: "client_credentials", ...backend });
	const tokens = [refreshed, signedIn, own].map((response) => response.json().access_token);
	for (const token of [access_token, ...tokens]) expect(claimsOf(token).aud).toBe("soko");
});

test("a token for it is accepted; the same token for another audience is refused and not active", async () => {
	const { access_token } = await obtainTokens(signOn.app, "admin@uhai.example");
	const encryption = readKeyEncryptionKeys(`k1:${Buffer.alloc(32, 7).toString("base64")}`);
	const ring = await openKeyRing(signOn.db, { encryption, now: () => signOn.now.at });
	const meant = (aud: string) => signJwt(ring.signing("ES256"), "at+jwt", { ...claimsOf(access_token), aud });
	for (const url of ["/api/v1/auth/me", "/api/v1/userinfo", "/api/v1/tenants/uhai/settings"]) {
		expect((await ask(url, meant("soko"))).statusCode, url).toBe(200);
		for (const aud of ["lango", "urn:lango:auth", "soko.example", ""])
			expect((await ask(url, meant(aud))).statusCode, `${url} ${aud}`).toBe(401);
	}
	expect(await introspect(meant("soko"))).toMatchObject({ active: true, aud: "soko" });
	expect(await introspect(meant("lango"))).toEqual({ active: false });
});

test("one service of it is named after it, and the names of another platform are not known", async () => {
	const browser = openBrowser(signOn.app);
	await browser.signIn("admin@uhai.example");
	const resource = "urn:soko:hospital";
	const { access_token } = (await tradeCode(signOn.app, await obtainCode(browser, { resource }))).json();
	expect(claimsOf(access_token).aud).toBe(resource);
	for (const resource of ["urn:lango:hospital", "lango"]) {
		await expect(obtainCode(browser, { resource })).rejects.toThrow("invalid_target");
		const own = await postToken(signOn.app, { grant_type: "client_credentials", resource, ...backend });
		expect(own.json()).toMatchObject({ error: "invalid_target" });
	}
});
