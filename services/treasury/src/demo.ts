import type { Environment } from "@lango/chassis";
import { type Database, inTenant } from "@lango/postgres";
import { ensureTenant } from "@lango/tenancy";
import { type KeyEncryptionKeys, readKeyEncryptionKeys } from "@lango/tokens";
import { configureShortcode } from "./gateways/configuration/configure-shortcode.ts";
import { listCredentials } from "./gateways/profiles/credential.store.ts";
import { changeProfile, getProfile } from "./gateways/profiles/profile.store.ts";
import { type SetSecrets, setSecrets } from "./gateways/profiles/set-secrets.ts";
import { findTenantGateway } from "./gateways/shortcodes/tenant-gateway.store.ts";

/** The accounts of the mobile-money sandbox (its README), of which each demo tenant has one. */
const accounts = {
	lango: { shortcode: "600100", kind: "paybill" },
	uhai: { shortcode: "600200", kind: "paybill" },
	kahawa: { shortcode: "600300", kind: "till" },
	duka: { shortcode: "600400", kind: "paybill" },
} as const;
const mobileMoneySecrets = {
	...{ consumer_key: "sandbox-consumer-key", consumer_secret: "sandbox-consumer-secret" },
	passkey: "sandbox-passkey",
};
const initiator = { name: "sandbox-initiator", password: "Sandbox-2026!" };
const cardSecretKey = "sk_test_lango_sandbox";

/**
 * Configures both gateways for the sandboxes that the environment names, with their certificate and
 * credentials, and gives each demo tenant its shortcode there (development only). Throws if the sandbox
 * cannot be reached.
 */
export async function seedDemoTreasury(
	db: Database,
	{
		now,
		environment,
		tenants,
	}: { now: Date; environment: Environment; tenants: ReadonlyArray<{ slug: string; id: string }> },
): Promise<void> {
	const { MOBILE_MONEY_SANDBOX_URL: mobileMoneyUrl, CARD_GATEWAY_SANDBOX_URL: cardUrl } = environment;
	const { CARDGW_SECRET_KEY: secretKey = cardSecretKey } = environment;
	const keys = readKeyEncryptionKeys(environment["TREASURY_KEY_ENCRYPTION_KEYS"] ?? "");
	if (cardUrl !== undefined) {
		const purpose = "card_gateway" as const;
		await changeProfile(db, purpose, { change: { environment: "sandbox", baseUrl: cardUrl }, now });
		await setFirstSecrets(db, keys, { purpose, change: { secret_key: secretKey }, now });
	}
	if (mobileMoneyUrl === undefined) return;
	const purpose = "mobile_money" as const;
	const certificate = await fetchCertificate(mobileMoneyUrl);
	const change = { environment: "sandbox" as const, baseUrl: mobileMoneyUrl };
	await changeProfile(db, purpose, {
		change: { ...change, ...(certificate !== undefined && { certificate }) },
		now,
	});
	await setFirstSecrets(db, keys, { purpose, change: mobileMoneySecrets, now });
	for (const tenant of tenants) await giveShortcode({ db, keys, now: () => now }, tenant);
}

/** Stores secrets of the platform, unless there are some. */
async function setFirstSecrets(
	db: Database,
	keys: KeyEncryptionKeys,
	{ purpose, change, now }: Pick<SetSecrets, "purpose" | "change" | "now">,
): Promise<void> {
	const { id: profileId } = await getProfile(db, purpose);
	const stored = await listCredentials(db, { profileId, now });
	if (stored.length > 0) return;
	await setSecrets(db, keys, { tenantId: undefined, profileId, purpose, change, now });
}

/** Gives a demo tenant its shortcode, unless it has one. */
async function giveShortcode(
	parts: { db: Database; keys: KeyEncryptionKeys; now: () => Date },
	{ id: tenantId, slug }: { slug: string; id: string },
): Promise<void> {
	const account = accounts[slug as keyof typeof accounts];
	if (account === undefined) return;
	await ensureTenant(parts.db, tenantId);
	if ((await inTenant(parts.db, tenantId, findTenantGateway)) !== undefined) return;
	const rules = { unknownAccounts: "accept", refundExcess: false } as const;
	await configureShortcode(parts, {
		tenantId,
		change: {
			...{ ...account, ...rules, initiatorName: initiator.name },
			accountReference: slug.toUpperCase(),
		},
		secrets: { initiator_password: initiator.password },
		by: { actor: { kind: "system", id: "npm start" } },
	});
}

/** The certificate for passwords of initiators. A sandbox that only takes push prompts has none. */
async function fetchCertificate(url: string): Promise<string | undefined> {
	const response = await fetch(`${url}/certificate`, { signal: AbortSignal.timeout(5_000) });
	if (response.status === 404) return undefined;
	if (!response.ok) throw new Error(`the mobile-money sandbox answered ${response.status}`);
	return response.text();
}
