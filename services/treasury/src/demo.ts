import type { Environment } from "@lango/chassis";
import type { Database } from "@lango/postgres";
import { type KeyEncryptionKeys, readKeyEncryptionKeys } from "@lango/tokens";
import { givePhone, giveRecipient, giveShortcode } from "./demo-tenants.ts";
import { listCredentials } from "./gateways/profiles/credential.store.ts";
import { changeProfile, getProfile } from "./gateways/profiles/profile.store.ts";
import { type SetSecrets, setSecrets } from "./gateways/profiles/set-secrets.ts";

const mobileMoneySecrets = {
	...{ consumer_key: "sandbox-consumer-key", consumer_secret: "sandbox-consumer-secret" },
	passkey: "sandbox-passkey",
};
const cardSecretKey = "sk_test_lango_sandbox";

/**
 * Configures both gateways for the sandboxes that the environment names, with their certificate and
 * credentials, and gives each demo tenant its shortcode, its recipient of payouts and a phone that pays its
 * renewals there (development only). Throws if a sandbox cannot be reached.
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
	const parts = { db, keys, now: () => now };
	if (cardUrl !== undefined) {
		const purpose = "card_gateway" as const;
		await changeProfile(db, purpose, { change: { environment: "sandbox", baseUrl: cardUrl }, now });
		await setFirstSecrets(db, keys, { purpose, change: { secret_key: secretKey }, now });
		for (const tenant of tenants) await giveRecipient(parts, tenant);
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
	for (const tenant of tenants) {
		await giveShortcode(parts, tenant);
		await givePhone(parts, tenant);
	}
}

/** Stores secrets of the platform, unless there are some. */
async function setFirstSecrets(
	db: Database,
	keys: KeyEncryptionKeys,
	{ purpose, change, now }: Pick<SetSecrets, "purpose" | "change" | "now">,
): Promise<void> {
	const { id: profileId } = await getProfile(db, purpose);
	const stored = await listCredentials(db, { tenantId: undefined, profileId, now });
	if (stored.length > 0) return;
	await setSecrets(db, keys, { tenantId: undefined, profileId, purpose, change, now });
}

/** The certificate for passwords of initiators. A sandbox that only takes push prompts has none. */
async function fetchCertificate(url: string): Promise<string | undefined> {
	const response = await fetch(`${url}/certificate`, { signal: AbortSignal.timeout(5_000) });
	if (response.status === 404) return undefined;
	if (!response.ok) throw new Error(`the mobile-money sandbox answered ${response.status}`);
	return response.text();
}
