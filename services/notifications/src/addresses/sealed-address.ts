import { createHmac, type KeyObject } from "node:crypto";
import { deriveKey, type KeyEncryptionKeys, type Sealed, seal, unseal } from "@lango/tokens";
import type { Channel } from "../channel.ts";

/** An address as it is stored. */
export type SealedAddress = {
	sealed: Sealed;
	/** The address key under every configured key, the newest first: the first is stored. */
	keys: readonly Buffer[];
};

/** Encrypts texts of this service, and derives the keys under which addresses are found. */
export type Vault = {
	sealAddress(channel: Channel, address: string): SealedAddress;
	openAddress(sealed: Sealed): string;
	/** The address keys of an address, under every configured key: a look-up tries all of them. */
	keysOf(channel: Channel, address: string): readonly Buffer[];
	sealData(data: object): Sealed;
	openData(sealed: Sealed): unknown;
	/** HMAC of a text under every configured key, the newest first. */
	fingerprintsOf(text: string): readonly Buffer[];
	sealCredentials(credentials: object): Sealed;
	openCredentials(sealed: Sealed): unknown;
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
	const under = (all: readonly KeyObject[], text: string) =>
		all.map((key) => createHmac("sha256", key).update(text).digest());
	// WhatsApp and SMS reach the same phone: a bounce of one does not suppress the other.
	const keysOf = (channel: Channel, address: string) => under(addressKeys, `${channel}\0${address}`);
	const json = (context: string) => ({
		seal: (value: object) => seal(keys, context, JSON.stringify(value)),
		open: (sealed: Sealed): unknown => JSON.parse(unseal(keys, context, sealed)),
	});
	const [data, credentials] = [json(contexts.data), json(contexts.credentials)];
	return {
		sealAddress: (channel, address) => ({
			sealed: seal(keys, contexts.address, address),
			keys: keysOf(channel, address),
		}),
		openAddress: (sealed) => unseal(keys, contexts.address, sealed),
		keysOf,
		sealData: data.seal,
		openData: data.open,
		fingerprintsOf: (text) => under(bodyKeys, text),
		sealCredentials: credentials.seal,
		openCredentials: credentials.open,
	};
}
