import { createHmac } from "node:crypto";
import { deriveKey, type KeyEncryptionKeys } from "@lango/tokens";

/** The purpose of a value sent by mail; a value of one kind is not valid for another. */
export type LinkKind = "password_reset" | "email_verification" | "invitation";

/** A link. An invitation belongs to a tenant, and its value ends with the tenant's id. */
export type LinkIdentity =
	| { kind: Exclude<LinkKind, "invitation">; id: string }
	| { kind: "invitation"; id: string; tenantId: string };

/**
 * Creates the values in links by mail. A value is derived from its kind and id with a key of the server.
 * Only its hash is stored and no event contains it; the mail sender requests it by id.
 */
export type LinkSecrets = {
	/** The id of the key for new values; stored with the hash. */
	keyId: string;
	/** The value; the same each time. Undefined if the key is no longer configured. */
	write(link: LinkIdentity & { keyId: string }): string | undefined;
};

export function createLinkSecrets(encryption: KeyEncryptionKeys): LinkSecrets {
	const keys = new Map(encryption.map((one) => [one.id, deriveKey(one, "lango links by mail")]));
	const keyId = encryption[0]?.id;
	if (keyId === undefined) throw new Error("no key for links is configured");
	return {
		keyId,
		write({ keyId: made, ...link }) {
			const key = keys.get(made);
			const secret = key && createHmac("sha256", key).update(`${link.kind} ${link.id}`).digest("base64url");
			return secret && link.kind === "invitation" ? `${secret}.${link.tenantId}` : secret;
		},
	};
}

const invitationForm = /^[\w-]{43}\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** The tenant in the value of an invitation; undefined for a text of another form. */
export const tenantOfInvitation = (value: string): string | undefined => invitationForm.exec(value)?.[1];

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
