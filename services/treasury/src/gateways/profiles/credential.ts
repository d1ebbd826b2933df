import { randomBytes } from "node:crypto";
import { type KeyEncryptionKeys, type Sealed, seal, unseal } from "@lango/tokens";

/** The kinds of gateways. */
export type GatewayKind = "mobile_money" | "card_gateway";

/** What the platform keeps of the mobile-money gateway (payments text §2.3). */
type MobileMoneySecrets = { consumer_key?: string; consumer_secret?: string; passkey?: string };
/** What the platform keeps of the card gateway (payments text §2.3). */
type CardSecrets = { secret_key?: string; public_key?: string; webhook_secret?: string };
/** What a tenant keeps of its shortcode: the password of its initiator, and its own keys if it has some. */
type TenantSecrets = MobileMoneySecrets & { initiator_password?: string };
export type Secrets = MobileMoneySecrets & CardSecrets & TenantSecrets;

/** What is shown of a secret. */
type ShownSecret = { set_at: string; last4: string };
export type ShownSecrets = Readonly<Record<string, ShownSecret>>;

/** Secrets as they are stored: encrypted by a key of their own, which is sealed by a key-encryption key. */
export type SealedSecrets = { dek: Sealed; sealed: Buffer };

/**
 * The owner of secrets, and what they are for. The words are part of the encryption: secrets of one place
 * cannot be opened in another.
 */
export type SecretPlace = { id: string; owner: "platform" | "tenant"; purpose: GatewayKind };

const contextOf = ({ owner, purpose, id }: SecretPlace) => `treasury|${owner}|${purpose}|${id}`;
const dekId = "dek";

/** Encrypts secrets with a random key (AES-256-GCM), and that key with the newest key-encryption key. */
export function sealSecrets(keys: KeyEncryptionKeys, place: SecretPlace, secrets: Secrets): SealedSecrets {
	const dek = randomBytes(32);
	const context = contextOf(place);
	return {
		dek: seal(keys, context, dek.toString("base64")),
		sealed: seal([{ id: dekId, key: dek }], context, JSON.stringify(secrets)).sealed,
	};
}

/** Decrypts the result of `sealSecrets`. Throws UnsealFailed. */
export function openSecrets(
	keys: KeyEncryptionKeys,
	place: SecretPlace,
	{ dek, sealed }: SealedSecrets,
): Secrets {
	const context = contextOf(place);
	const key = Buffer.from(unseal(keys, context, dek), "base64");
	return JSON.parse(unseal([{ id: dekId, key }], context, { keyId: dekId, sealed })) as Secrets;
}

/**
 * Seals the key of secrets under the newest key-encryption key; the secrets stay as they are. Throws
 * UnsealFailed.
 */
export function rewrapSecrets(keys: KeyEncryptionKeys, place: SecretPlace, dek: Sealed): Sealed {
	const context = contextOf(place);
	return seal(keys, context, unseal(keys, context, dek));
}

/** Adds what is shown of new secrets. A short secret shows no characters. */
export function showSecrets(before: ShownSecrets, secrets: Secrets, now: Date): ShownSecrets {
	const shown = Object.entries(secrets).map(([name, value]) => [
		name,
		{ set_at: now.toISOString(), last4: value.length >= 12 ? value.slice(-4) : "" },
	]);
	return { ...before, ...Object.fromEntries(shown) };
}
