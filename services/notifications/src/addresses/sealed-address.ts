import { createHmac, type KeyObject } from "node:crypto";
import { deriveKey, type KeyEncryptionKeys, type Sealed, seal, unseal } from "@lango/tokens";
import type { Channel } from "../channel.ts";
import { comparableAddress } from "./address.ts";

/** An address as it is stored. */
export type SealedAddress = {
	sealed: Sealed;
	/** The address key under every configured key, the newest first: the first is stored. */
	keys: readonly Buffer[];
};

/** What only the service itself reads of a provider. */
type ProviderSecrets = {
	credentials: unknown;
	/** The token in the address of its webhook, which some calls name. */
	webhookToken?: string;
};

/** Encrypts texts of this service, and derives the keys under which addresses are found. */
export type Vault = {
	/** The id of the key that encrypts. */
	newestKeyId: string;
	sealAddress(channel: Channel, address: string): SealedAddress;
	openAddress(sealed: Sealed): string;
	/** The address keys of an address, under every configured key: a look-up tries all of them. */
	keysOf(channel: Channel, address: string): readonly Buffer[];
	/**
	 * The address keys of a stored address under the configured keys, without the one that is stored with it.
	 * None while one key is configured, and none of an address whose key is missing: it cannot be written to.
	 */
	otherKeysOf(channel: Channel, stored: { address: Sealed; addressKey: Buffer }): readonly Buffer[];
	sealData(data: object): Sealed;
	openData(sealed: Sealed): unknown;
	/** HMAC of a text under every configured key, the newest first. */
	fingerprintsOf(text: string): readonly Buffer[];
	/** HMAC of a message's phone and text under every configured key, the newest first. */
	textKeysOf(to: string, text: string): readonly Buffer[];
	/** HMAC of the text of a public link under every configured key, the newest first. */
	linkSignaturesOf(text: string): readonly Buffer[];
	/** HMAC of a code under every configured key, the newest first; `about` is what the code is for. */
	codeHashesOf(about: string, code: string): readonly Buffer[];
	sealCredentials(secrets: ProviderSecrets): Sealed;
	openCredentials(sealed: Sealed): ProviderSecrets;
};

const contexts = {
	address: "notifications.address",
	data: "notifications.data",
	credentials: "notifications.credentials",
};

/** Creates the vault from the key-encryption keys. Its functions throw `UnsealFailed` if a key is missing. */
export function createVault(keys: KeyEncryptionKeys): Vault {
	const addressKeys = keys.map((key) => deriveKey(key, "notifications.address-key"));
	const bodyKeys = keys.map((key) => deriveKey(key, "notifications.request-body"));
	const codeKeys = keys.map((key) => deriveKey(key, "notifications.contact-code"));
	const linkKeys = keys.map((key) => deriveKey(key, "notifications.public-link"));
	const textKeys = keys.map((key) => deriveKey(key, "notifications.message-text"));
	const under = (all: readonly KeyObject[], text: string) =>
		all.map((key) => createHmac("sha256", key).update(text).digest());
	// WhatsApp and SMS reach the same phone: a bounce of one does not suppress the other.
	const keysOf = (channel: Channel, address: string) =>
		under(addressKeys, `${channel}\0${comparableAddress(channel, address)}`);
	const hasKey = ({ keyId }: Sealed) => keys.some(({ id }) => id === keyId);
	const json = (context: string) => ({
		seal: (value: object) => seal(keys, context, JSON.stringify(value)),
		open: (sealed: Sealed): unknown => JSON.parse(unseal(keys, context, sealed)),
	});
	const [data, credentials] = [json(contexts.data), json(contexts.credentials)];
	const [newest] = keys;
	if (newest === undefined) throw new Error("no key-encryption key is configured");
	return {
		newestKeyId: newest.id,
		sealAddress: (channel, address) => ({
			sealed: seal(keys, contexts.address, address),
			keys: keysOf(channel, address),
		}),
		openAddress: (sealed) => unseal(keys, contexts.address, sealed),
		keysOf,
		otherKeysOf: (channel, { address, addressKey }) =>
			keys.length === 1 || !hasKey(address)
				? []
				: keysOf(channel, unseal(keys, contexts.address, address)).filter((key) => !key.equals(addressKey)),
		sealData: data.seal,
		openData: data.open,
		linkSignaturesOf: (text) => under(linkKeys, text),
		codeHashesOf: (about, code) => under(codeKeys, `${about}\0${code}`),
		textKeysOf: (to, text) => under(textKeys, `${to}\0${text}`),
		fingerprintsOf: (text) => under(bodyKeys, text),
		sealCredentials: credentials.seal,
		openCredentials: (sealed) => credentials.open(sealed) as ProviderSecrets,
	};
}
