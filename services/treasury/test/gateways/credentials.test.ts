import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { UnsealFailed } from "@lango/tokens";
import { beforeEach, expect, test } from "vitest";
import { listCredentials } from "../../src/gateways/profiles/credential.store.ts";
import { openSecrets, rewrapSecrets, sealSecrets } from "../../src/gateways/profiles/credential.ts";
import { changeProfile, getCardProfile } from "../../src/gateways/profiles/profile.store.ts";
import { recordShortcodeVerified } from "../../src/gateways/shortcodes/tenant-gateway.store.ts";
import { keys, openGatewaysAt } from "./gateways-at.ts";

const at = setUp(async () => {
	const opened = await openGatewaysAt("http://127.0.0.1:1");
	return { ...opened, close: () => opened.database.drop() };
});
/** The credentials of a test have ended when the next one begins. */
beforeEach(() => {
	at.clock.now = new Date(at.clock.now.getTime() + 3_600_000);
});

const place = { id: "a", owner: "platform", purpose: "card_gateway" } as const;
const newKey = { id: "new", key: Buffer.alloc(32, 9) };

test("secrets are encrypted by a key of their own, and opened only as what they are", () => {
	const sealed = sealSecrets(keys, place, { secret_key: "sk_live_secret" });
	expect(openSecrets(keys, place, sealed)).toEqual({ secret_key: "sk_live_secret" });
	expect(sealed.sealed.toString("latin1")).not.toContain("sk_live");
	for (const other of [{ id: "b" }, { owner: "tenant" as const }, { purpose: "mobile_money" as const }])
		expect(() => openSecrets(keys, { ...place, ...other }, sealed)).toThrow(UnsealFailed);
});

test("a new key-encryption key seals the key of secrets again, and the secrets stay as they are", () => {
	const sealed = sealSecrets(keys, place, { secret_key: "sk_live_secret" });
	const dek = rewrapSecrets([newKey, ...keys], place, sealed.dek);
	expect(dek.keyId).toBe("new");
	expect(openSecrets([newKey], place, { ...sealed, dek })).toEqual({ secret_key: "sk_live_secret" });
});

test("the new secret key is used for calls at once; the one before verifies webhooks until it ends", async () => {
	const end = new Date(at.clock.now.getTime() + 60_000);
	await at.setPlatform("card_gateway", { secret_key: "sk_test_first", webhook_secret: "whsec" });
	await at.setPlatform("card_gateway", { secret_key: "sk_test_second" }, end);
	const settings = { secretKey: "sk_of_settings", webhookSecret: "whsec_of_settings" };
	expect(await at.process(settings).listWebhookKeys()).toEqual([
		...["sk_test_second", "sk_test_first", "sk_of_settings", "whsec", "whsec_of_settings"],
	]);
	at.clock.now = end;
	expect(await at.process(settings).listWebhookKeys()).toEqual([
		...["sk_test_second", "sk_of_settings", "whsec", "whsec_of_settings"],
	]);
	const { id: profileId } = await getCardProfile(at.database.db);
	expect(
		await listCredentials(at.database.db, { tenantId: undefined, profileId, now: at.clock.now }),
	).toHaveLength(1);
});

test("a removed secret is gone, and two changes at once leave one credential for calls", async () => {
	await at.setPlatform("card_gateway", { webhook_secret: null });
	await Promise.all(
		["sk_test_a", "sk_test_b"].map((secret_key) => at.setPlatform("card_gateway", { secret_key })),
	);
	const { id: profileId } = await getCardProfile(at.database.db);
	const found = await listCredentials(at.database.db, { tenantId: undefined, profileId, now: at.clock.now });
	expect(found).toHaveLength(1);
	expect(Object.keys(found[0]?.shown ?? {})).toEqual(["secret_key"]);
	expect(await at.process().listWebhookKeys()).toHaveLength(1);
});

test("a gateway without an address or a key, and a tenant without a shortcode, are not available", async () => {
	const gateways = at.process();
	const unknownTenant = "00000000-0000-4000-8000-000000000000";
	expect(await gateways.findMobileMoney(at.tenantId)).toBeUndefined();
	await at.setPlatform("mobile_money", { consumer_key: "k", consumer_secret: "s" });
	expect(await gateways.findMobileMoney(at.tenantId)).toMatchObject({ shortcode: "600100", isActive: true });
	await expect(gateways.requireMobileMoney(unknownTenant)).rejects.toMatchObject({
		code: "channel_unavailable",
	});
	await at.setPlatform("card_gateway", { secret_key: null });
	await expect(gateways.requireCardGateway()).rejects.toMatchObject({ code: "channel_unavailable" });
	expect(await at.process({ secretKey: "sk_of_settings" }).findCardGateway()).toBeDefined();
});

test("in production a shortcode collects nothing until its balance was read with its own initiator", async () => {
	const { db } = at.database;
	const gateways = at.process();
	await changeProfile(db, "mobile_money", { change: { environment: "production" }, now: at.clock.now });
	await expect(gateways.requireMobileMoney(at.tenantId)).rejects.toMatchObject({
		code: "shortcode_unverified",
	});
	expect(await gateways.findMobileMoney(at.tenantId)).toMatchObject({ isActive: false });
	await inTenant(db, at.tenantId, (tx) => recordShortcodeVerified(tx, "600100", at.clock.now));
	expect(await gateways.requireMobileMoney(at.tenantId)).toMatchObject({ isActive: true });
});
