import { inTenant } from "@lango/postgres";
import { removeKey, rotateKeys } from "@lango/signing-keys";
import { setUp } from "@lango/testkit/set-up";
import { createVerifier, readHeader, readKeyEncryptionKeys, remoteKeySet } from "@lango/tokens";
import { beforeAll, expect, test } from "vitest";
import { keyPlan } from "../src/sign-in/till-token.ts";
import { encryptionKey, openShop, posUrl } from "./shop.ts";
import { hire, me, type OpenTill, openTill, signInAt, typePin } from "./till.ts";

const shop = setUp(openShop);
let till: OpenTill;
beforeAll(async () => {
	till = await openTill(shop);
});

const published = async () =>
	(await shop.call({ url: "/.well-known/jwks.json" })).body.keys as Array<{ kid: string; alg: string }>;
const rotate = () => {
	const encryption = readKeyEncryptionKeys(encryptionKey);
	return rotateKeys(shop.database.db, { encryption, now: shop.now(), isForced: true, plan: keyPlan });
};
const refreshed = { timeout: 15_000, interval: 50 };

test("the published key set verifies a till token", async () => {
	const token = await signInAt(shop, till, { who: await hire(shop, till), pin: "2580" });
	await shop.app.listen({ port: 0, host: "127.0.0.1" });
	const address = shop.app.server.address();
	const port = typeof address === "object" && address !== null ? address.port : 0;
	const { now } = shop;
	const keys = remoteKeySet({ url: `http://127.0.0.1:${port}/.well-known/jwks.json`, now });
	const claims = await createVerifier({ issuer: posUrl, audiences: ["urn:lango:pos"], keys, now }).verify(
		token,
	);
	expect(claims).toMatchObject({ iss: posUrl, pos_role: "cashier" });
});

test("every published key is ES256 without private members, and stored keys are encrypted", async () => {
	const keys = await published();
	expect(keys.map(({ alg }) => alg)).toEqual(["ES256"]);
	expect(keys[0]).not.toHaveProperty("d");
	const rows = await shop.database.db.query<{ sealed: Buffer; key_encryption_key_id: string }>(
		"select sealed, key_encryption_key_id from signing_keys",
	);
	expect(rows.map(({ key_encryption_key_id }) => key_encryption_key_id)).toEqual(["k1"]);
	expect(rows[0]?.sealed.toString("latin1")).not.toContain("PRIVATE KEY");
});

test("a new key is published before it signs, and the old key stays published until its tokens expire", async () => {
	const who = await hire(shop, till);
	const before = await signInAt(shop, till, { who, pin: "2580" });
	await rotate();
	await expect.poll(async () => (await published()).length, refreshed).toBe(2);
	const meanwhile = await signInAt(shop, till, { who, pin: "2580" });
	expect(readHeader(meanwhile).kid).toBe(readHeader(before).kid);
	shop.later(660);
	await rotate();
	const newest = async () => readHeader(await signInAt(shop, till, { who, pin: "2580" })).kid;
	await expect.poll(newest, refreshed).not.toBe(readHeader(before).kid);
	shop.later(12 * 3_600 - 700);
	expect((await me(shop, before)).status).toBe(200);
	expect((await published()).length).toBe(2);
	shop.later(1_400);
	await expect.poll(async () => (await published()).length, refreshed).toBe(1);
});

test("the tokens of a key that is removed in an emergency are rejected", async () => {
	const who = await hire(shop, till);
	const token = await signInAt(shop, till, { who, pin: "2580" });
	const encryption = readKeyEncryptionKeys(encryptionKey);
	const { kid } = readHeader(token);
	expect(await removeKey(shop.database.db, { kid, encryption, now: shop.now(), plan: keyPlan })).toBe(true);
	await expect.poll(async () => (await me(shop, token)).status, refreshed).toBe(401);
	expect((await me(shop, await signInAt(shop, till, { who, pin: "2580" }))).status).toBe(200);
});

test("the purge removes expired sessions and counts older than a day, and nothing else", async () => {
	const count = async (table: string) => {
		const [row] = await inTenant(shop.database.db, shop.kahawa.id, (tx) =>
			tx.query<{ n: number }>(`select count(*)::integer as n from ${table}`),
		);
		return row?.n ?? -1;
	};
	const who = await hire(shop, till);
	await signInAt(shop, till, { who, pin: "2580" });
	await typePin(shop, till, { who, pin: "0000" });
	await shop.jobs.run("till-sessions.purge");
	shop.later(12 * 3_600 - 60);
	const kept = await hire(shop, till);
	const token = await signInAt(shop, till, { who: kept, pin: "2580" });
	shop.later(180);
	await shop.jobs.run("till-sessions.purge");
	expect(await count("terminal_sessions")).toBe(1);
	expect(await count("pin_attempts")).toBeGreaterThan(1);
	expect((await me(shop, token)).status).toBe(200);
	shop.later(86_400);
	await shop.jobs.run("till-sessions.purge");
	expect([await count("terminal_sessions"), await count("pin_attempts")]).toEqual([0, 0]);
	expect(await count("pins")).toBeGreaterThan(1);
});
