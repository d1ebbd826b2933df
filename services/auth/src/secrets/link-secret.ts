import { createHmac } from "node:crypto";
import { deriveKey, type KeyEncryptionKeys } from "@lango/tokens";

/** What a value sent by mail is good for; one kind is never taken for another. */
export type LinkKind = "password_reset" | "email_verification" | "invitation";

/**
 * Makes the values that people are sent by mail. A value follows from its kind and id under a key of the server: only
 * its hash is stored and no event carries it, yet whoever sends the mail can be given it.
 */
export type LinkSecrets = {
	/** The id of the key that new values are made with; kept beside the hash. */
	keyId: string;
	/** The value; the same each time. Undefined when the key named is not configured any more. */
	write(link: { kind: LinkKind; id: string; keyId: string }): string | undefined;
};

export function createLinkSecrets(encryption: KeyEncryptionKeys): LinkSecrets {
	const keys = new Map(encryption.map((one) => [one.id, deriveKey(one, "lango links by mail")]));
	const keyId = encryption[0]?.id;
	if (keyId === undefined) throw new Error("there is no key to make links with");
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

/** The address a person opens. The value is in the fragment, which no server is sent and no log shows. */
export function linkAddress(accountsUrl: string, kind: LinkKind, value: string): string {
	return `${accountsUrl}${pages[kind]}${value}`;
}
