import type { Sealed } from "@lango/tokens";
import type { Vault } from "../addresses/sealed-address.ts";
import type { Channel } from "../channel.ts";

/** A column of a tenant's table with sealed values, each with the id of its key in another column. */
export type SealedPlace = {
	table: string;
	id: string;
	keyId: string;
	sealed: string;
	/** Of an address: the column of its key, and its channel as an SQL expression. */
	address?: { key: string; channel: string };
};

/** A sealed value of a place. */
export type OlderSeal = { id: string; value: Sealed; channel: Channel | null };

/** The value under the newest key; an address with its address key. */
type Renewed = Sealed & { addressKey?: Buffer };

/**
 * Every place of sealed values in the tables of tenants, besides the credentials of providers. What is not
 * here ends by itself: reports of providers after 7 days, mails with links once they are accepted or the
 * link expires.
 */
export const sealedPlaces: readonly SealedPlace[] = [
	{
		...{ table: "recipients", id: "id", keyId: "email_key_id", sealed: "email" },
		address: { key: "email_address_key", channel: "'email'" },
	},
	{
		...{ table: "contact_points", id: "id", keyId: "address_key_id", sealed: "address" },
		address: { key: "address_key", channel: "channel" },
	},
	{ table: "messages", id: "id", keyId: "data_key_id", sealed: "data" },
	{
		...{ table: "message_deliveries", id: "id", keyId: "address_key_id", sealed: "address" },
		address: { key: "address_key", channel: "channel" },
	},
	{ table: "trigger_runs", id: "id", keyId: "event_key_id", sealed: "event" },
	{ table: "digest_items", id: "message_id", keyId: "item_key_id", sealed: "item" },
];

/** Encrypts a value under the newest key. Throws `UnsealFailed` if its key is missing. */
export function renew(vault: Vault, { value, channel }: OlderSeal): Renewed {
	if (channel === null) return vault.sealData(vault.openData(value) as object);
	const { sealed, keys } = vault.sealAddress(channel, vault.openAddress(value));
	const [addressKey] = keys;
	return { ...sealed, ...(addressKey && { addressKey }) };
}

/** Encrypts credentials of a provider under the newest key. Throws `UnsealFailed` if their key is missing. */
export const renewCredentials = (vault: Vault, { value }: Pick<OlderSeal, "value">): Renewed =>
	vault.sealCredentials(vault.openCredentials(value));
