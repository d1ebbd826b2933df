import type { Secret } from "@lango/chassis";
import { createCache } from "@lango/memory";
import { type Database, inTenant } from "@lango/postgres";
import type { KeyEncryptionKeys } from "@lango/tokens";
import type { CallGateway } from "./calls/call-gateway.ts";
import { gatewayFailures } from "./calls/failures.ts";
import { type CardGateway, openCardGateway } from "./card-gateway/account.ts";
import { type MobileMoney, openMobileMoney } from "./mobile-money/account.ts";
import { createTokens, type TokenKeys } from "./mobile-money/token.ts";
import { listCredentials, type StoredCredential } from "./profiles/credential.store.ts";
import { type GatewayKind, openSecrets, type SecretPlace, type Secrets } from "./profiles/credential.ts";
import { getKeyedProfile } from "./profiles/keyed-profile.store.ts";
import { getCardProfile, getMobileMoneyProfile } from "./profiles/profile.store.ts";
import { type AddressRule, cardDefaults, mobileMoneyDefaults } from "./profiles/profile.ts";
import { findTenantGateway } from "./shortcodes/tenant-gateway.store.ts";

/** Settings with which the card gateway begins; a stored credential wins for calls. */
type CardSettingsKeys = {
	cardgwSecretKey: Secret | undefined;
	cardgwWebhookSecret: Secret | undefined;
};

/**
 * The gateways as operations see them. Their functions throw UnsealFailed if a key-encryption key is
 * missing.
 */
export type Gateways = {
	/**
	 * Opens a tenant's shortcode; undefined if it has none, or the gateway is not configured. With a
	 * shortcode that the tenant had before, this one is opened, with the platform's keys: its own are
	 * gone.
	 */
	findMobileMoney(tenantId: string, shortcode?: string): Promise<MobileMoney | undefined>;
	/**
	 * Opens a tenant's shortcode to collect and pay. Throws `channel_unavailable`, and in production
	 * `shortcode_unverified` until its balance was read once.
	 */
	requireMobileMoney(tenantId: string): Promise<MobileMoney>;
	/** Opens the card gateway; undefined if it is not configured. */
	findCardGateway(): Promise<CardGateway | undefined>;
	/** Opens the card gateway. Throws `channel_unavailable`. */
	requireCardGateway(): Promise<CardGateway>;
	/**
	 * The keys with which signatures of the card gateway are checked, in their order: the secret key for
	 * calls, those that are being retired, then webhook secrets. Kept for five seconds.
	 */
	listWebhookKeys(): Promise<readonly string[]>;
	/** From where deliveries of a gateway are expected. Kept for five seconds. */
	findAddressRule(gateway: GatewayKind): Promise<AddressRule>;
};

type Parts = {
	db: Database;
	now: () => Date;
	keys: KeyEncryptionKeys;
	call: CallGateway;
	settings: CardSettingsKeys;
};

const keptMs = 5_000;
const everyKey = "keys";

const loadAddressRule = async (db: Database, gateway: GatewayKind): Promise<AddressRule> =>
	(gateway === "card_gateway" ? await getCardProfile(db) : await getMobileMoneyProfile(db)).settings;

/** Creates the gateways of a process. */
export function openGateways(parts: Parts): Gateways {
	const { db, now, call } = parts;
	const tokens = createTokens(parts);
	const rules = createCache<AddressRule>({ sizeMax: 2, maxAgeMs: keptMs, now });
	const webhookKeys = createCache<readonly string[]>({ sizeMax: 1, maxAgeMs: keptMs, now });
	const findMobileMoney = async (tenantId: string, shortcode?: string) => {
		const found = await loadShortcode(parts, tenantId, shortcode);
		return found && openMobileMoney({ call, tokens, now }, found);
	};
	const findCardGateway = async () => {
		const keyed = { kind: "card_gateway", defaults: cardDefaults, now: now() } as const;
		const { profile: found, credential } = await getKeyedProfile(db, keyed);
		const { baseUrl, ...profile } = found;
		const secretKey = secretKeyOf(parts, credential);
		if (baseUrl === undefined || secretKey === undefined) return undefined;
		return openCardGateway({ call, secretKey, profile: { ...profile, baseUrl } });
	};
	return {
		findMobileMoney,
		findCardGateway,
		async requireMobileMoney(tenantId) {
			const found = await findMobileMoney(tenantId);
			if (found === undefined) throw gatewayFailures.channel_unavailable();
			if (!found.isActive) throw gatewayFailures.shortcode_unverified();
			return found;
		},
		async requireCardGateway() {
			const found = await findCardGateway();
			if (found === undefined) throw gatewayFailures.channel_unavailable();
			return found;
		},
		listWebhookKeys: () => webhookKeys.load(everyKey, () => loadWebhookKeys(parts)),
		findAddressRule: (gateway) => rules.load(gateway, () => loadAddressRule(db, gateway)),
	};
}

/** Decrypts a credential. */
const open = (
	{ keys }: Parts,
	{ id, dek, sealed }: StoredCredential,
	place: Omit<SecretPlace, "id">,
): Secrets => openSecrets(keys, { id, ...place }, { dek, sealed });

const ofCard = { owner: "platform", purpose: "card_gateway" } as const;

/** The secret key for calls: the stored one, else the one of the settings. */
function secretKeyOf(parts: Parts, current: StoredCredential | undefined): string | undefined {
	const stored = current && current.retiresAt === undefined ? open(parts, current, ofCard) : {};
	return stored.secret_key ?? parts.settings.cardgwSecretKey?.reveal();
}

async function loadWebhookKeys(parts: Parts): Promise<readonly string[]> {
	const { id } = await getCardProfile(parts.db);
	const stored = await listCredentials(parts.db, { tenantId: undefined, profileId: id, now: parts.now() });
	const secrets = stored.map((one) => open(parts, one, ofCard));
	const { cardgwSecretKey, cardgwWebhookSecret } = parts.settings;
	const keys = [
		...[...secrets.map((one) => one.secret_key), cardgwSecretKey?.reveal()],
		...[...secrets.map((one) => one.webhook_secret), cardgwWebhookSecret?.reveal()],
	];
	return [...new Set(keys.filter((key) => key !== undefined))];
}

type Shortcode = Parameters<typeof openMobileMoney>[1];

/**
 * Loads a shortcode with its secrets. The tenant's own keys replace the platform's, each for itself, unless
 * they belong to another shortcode than the one that is asked for.
 */
async function loadShortcode(
	parts: Parts,
	tenantId: string,
	asked: string | undefined,
): Promise<Shortcode | undefined> {
	const { db, now } = parts;
	const keyed = { kind: "mobile_money", defaults: mobileMoneyDefaults, now: now() } as const;
	const {
		profile: { baseUrl, ...profile },
		credential: ofPlatform,
	} = await getKeyedProfile(db, keyed);
	const [stored, ofTenant] = await inTenant(db, tenantId, async (tx) => {
		const gateway = await findTenantGateway(tx);
		const isOther = asked !== undefined && asked !== gateway?.shortcode;
		const about = { tenantId, profileId: profile.id, now: now() };
		return [gateway, isOther ? undefined : (await listCredentials(tx, about))[0]] as const;
	});
	if (baseUrl === undefined || stored === undefined) return undefined;
	const purpose = "mobile_money" as const;
	const platform = ofPlatform && open(parts, ofPlatform, { owner: "platform", purpose });
	const own = ofTenant && open(parts, ofTenant, { owner: "tenant", purpose });
	const keys = tokenKeysOf(ofTenant?.id, tenantId, own) ?? tokenKeysOf(ofPlatform?.id, undefined, platform);
	if (keys === undefined) return undefined;
	const { initiatorName, verifiedAt, kind, accountReference } = stored;
	const password = own?.initiator_password;
	return {
		...{ shortcode: asked ?? stored.shortcode, kind, accountReference },
		...{ passkey: own?.passkey ?? platform?.passkey },
		isActive: profile.environment === "sandbox" || verifiedAt !== undefined,
		initiator:
			initiatorName === undefined || password === undefined ? undefined : { name: initiatorName, password },
		profile: { ...profile, baseUrl },
		keys: { ...keys, profile: { id: profile.id, baseUrl }, perSecond: profile.settings.per_second },
	};
}

function tokenKeysOf(
	credentialId: string | undefined,
	tenantId: string | undefined,
	secrets: Secrets | undefined,
): Omit<TokenKeys, "profile" | "perSecond"> | undefined {
	const { consumer_key: consumerKey, consumer_secret: consumerSecret } = secrets ?? {};
	if (credentialId === undefined || consumerKey === undefined || consumerSecret === undefined)
		return undefined;
	return { credentialId, tenantId, consumerKey, consumerSecret };
}
