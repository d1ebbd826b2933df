import { createHmac } from "node:crypto";
import { deriveKey, type KeyEncryptionKeys } from "@lango/tokens";

/** The purpose of a value sent by mail; a value of one kind is not valid for another. */
export type LinkKind = "password_reset" | "email_verification" | "invitation";

/**
 * Creates the values in links by mail. A value is derived from its kind and id with a key of the server.
 * Only its hash is stored and no event contains it; the mail sender requests it by id.
 */
export type LinkSecrets = {
	/** The id of the key for new values; stored with the hash. */
	keyId: string;
	/** The value; the same each time. Undefined if the key is no longer configured. */
	write(link: { kind: LinkKind; id: string; keyId: string }): string | undefined;
};

export function createLinkSecrets(encryption: KeyEncryptionKeys): LinkSecrets {
	const keys = new Map(encryption.map((one) => [one.id, deriveKey(one, "lango links by mail")]));
	const keyId = encryption[0]?.id;
	if (keyId === undefined) throw new Error("no key for links is configured");
	return {
		keyId,
		write({ kind, id, keyId: made }) {
			const key = keys.get(made);
			return key && createHmac("sha256", key).update(`${kind} ${id}`).digest("base64url");
		},
	};
}

const pages: Readonly<Record<LinkKind, string>> = {
	password_reset: "/reset-password#token=",
	email_verification: "/verify-email#token=",
	invitation: "/register#invitation=",
};

/**
 * The address of the link. The value is in the fragment, which browsers do not send, so no log contains it.
 */
export function linkAddress(accountsUrl: string, kind: LinkKind, value: string): string {
	return `${accountsUrl}${pages[kind]}${value}`;
}
