import { createHash, randomBytes } from "node:crypto";
import { type KeyEncryptionKeys, type Sealed, seal, unseal } from "@lango/tokens";

/** What an encrypted pay code is bound to. */
export const payCodeContext = "treasury.pay-code";
const bytes = 20;

/** Mints the code in the address of the page where anybody can pay an intent: 160 random bits. */
export function mintPayCode(keys: KeyEncryptionKeys): { payCode: Sealed; payCodeHash: Buffer } {
	const code = randomBytes(bytes).toString("base64url");
	return { payCode: seal(keys, payCodeContext, code), payCodeHash: hashPayCode(code) };
}

/** The SHA-256 by which a pay code is found. */
export const hashPayCode = (code: string): Buffer => createHash("sha256").update(code).digest();

/** What the address of the page needs. */
export type PayPage = { keys: KeyEncryptionKeys; settings: { consoleUrl: string } };

/** The address of the page where anybody can pay an intent, without an account. */
export const payUrlOf = ({ payCode }: { payCode: Sealed }, { keys, settings }: PayPage): string =>
	`${settings.consoleUrl}/pay/${unseal(keys, payCodeContext, payCode)}`;
