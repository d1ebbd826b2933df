import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { obtainTokens, type SignOn, startSignOn } from "./sign-on.ts";

// keys that change

let signOn: SignOn;
beforeAll(async () => {
	signOn = await startSignOn({ AUTH_KEY_REFRESH_SECONDS: "1" });
});
afterAll(() => signOn.close());

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
test("a new key is published before it signs; tokens in flight live through the change; a removed key's tokens die", async () => {
	const { rotateKeys, removeKey } = await import("@lango/signing-keys");
	const encryption = [{ id: "k1", key: Buffer.alloc(32, 7) }];
	const kids = async () =>
		(await signOn.app.inject("/.well-known/jwks.json")).json<{
			keys: Array<{ kid: string; alg: string }>;
		}>().keys;
	const kidOf = (token: string): string =>
		JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString()).kid;
	const ask = (token: string) => signOn.app.inject({ url: "/api/v1/auth/me", headers: bearer(token) });
	const before = await obtainTokens(signOn.app, "admin@uhai.example");

	await rotateKeys(signOn.db, { encryption, now: signOn.now.at, isAsked: true });
	await sleep(1_300);
	expect(await kids()).toHaveLength(4);
	expect(kidOf((await obtainTokens(signOn.app, "admin@uhai.example")).access_token)).toBe(
		kidOf(before.access_token),
	);
	signOn.now.forward(660);
	await rotateKeys(signOn.db, { encryption, now: signOn.now.at, isAsked: true });
	await sleep(1_300);
	const after = await obtainTokens(signOn.app, "admin@uhai.example");
	expect(kidOf(after.access_token)).not.toBe(kidOf(before.access_token));
	expect((await ask(before.access_token)).statusCode).toBe(200);

	expect(await removeKey(signOn.db, { kid: kidOf(after.access_token), encryption, now: signOn.now.at })).toBe(
		true,
	);
	expect(await removeKey(signOn.db, { kid: "nothing", encryption, now: signOn.now.at })).toBe(false);
	await sleep(1_300);
	expect((await ask(after.access_token)).statusCode).toBe(401);
	expect((await ask((await obtainTokens(signOn.app, "admin@uhai.example")).access_token)).statusCode).toBe(
		200,
	);
});

test("an ID token is taken as a hint as long as a session may last, also when its key has not signed for a month", async () => {
	const { rotateKeys } = await import("@lango/signing-keys");
	const encryption = [{ id: "k1", key: Buffer.alloc(32, 7) }];
	const { id_token: hint } = await obtainTokens(signOn.app, "admin@uhai.example");
	const signOut = () => signOn.app.inject(`/api/v1/oidc/logout?id_token_hint=${hint}`);
	await rotateKeys(signOn.db, { encryption, now: signOn.now.at, isAsked: true });
	signOn.now.forward(660);
	await rotateKeys(signOn.db, { encryption, now: signOn.now.at, isAsked: true });
	signOn.now.forward(30 * 86_400);
	await sleep(1_300);
	expect((await signOut()).statusCode).toBe(200);
	signOn.now.forward(61 * 86_400);
	await sleep(1_300);
	expect((await signOut()).statusCode).toBe(400);
});
