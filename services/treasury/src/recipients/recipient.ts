import { createHmac } from "node:crypto";
import { deriveKey, type KeyEncryptionKeys, type Sealed, seal } from "@lango/tokens";

/** An account to which payouts go. It never changes: a new recipient replaces it. */
export type Recipient = {
	id: string;
	type: "bank" | "mobile_money";
	name: string;
	bankCode: string;
	bankName: string | undefined;
	maskedAccount: string;
	currency: string;
	/** Of the gateway. */
	recipientCode: string;
	createdAt: Date;
	/** Undefined: it is active. */
	revokedAt: Date | undefined;
};

/** What identifies an account. */
export type Account = Pick<Recipient, "type" | "bankCode" | "currency"> & { accountNumber: string };

/**
 * The HMAC of an account of a tenant under every key, the newest first: an account is found without its
 * number.
 */
export function fingerprintsOf(
	keys: KeyEncryptionKeys,
	{ type, bankCode, currency, accountNumber }: Account,
): readonly Buffer[] {
	const text = [type, bankCode, currency, accountNumber].join("\n");
	return keys.map((key) => createHmac("sha256", deriveKey(key, "treasury.recipient")).update(text).digest());
}

/** What the encrypted number of an account is bound to. */
export const accountContext = "treasury|recipient";

/** Encrypts the number of an account. */
export const sealAccount = (keys: KeyEncryptionKeys, accountNumber: string): Sealed =>
	seal(keys, accountContext, accountNumber);

/** The last four characters of the number of an account, less of a short one. */
export const maskAccount = (accountNumber: string): string =>
	`•••• ${accountNumber.slice(-Math.min(4, Math.floor(accountNumber.length / 2)))}`;
