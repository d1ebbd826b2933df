import { createHmac, timingSafeEqual } from "node:crypto";

/** The header with the signature of a webhook (payments text §5). */
export const signatureHeader = "x-cardgw-signature";

const form = /^[0-9a-f]{128}$/;

/**
 * Whether one of the keys signed these bytes: HMAC-SHA512 in lower-case hex (payments text §5). Every key
 * is tried, and the comparison takes the same time for every signature of the right form.
 */
export function isSigned(raw: Buffer, signature: unknown, keys: readonly string[]): boolean {
	if (typeof signature !== "string" || !form.test(signature)) return false;
	const given = Buffer.from(signature, "hex");
	const fits = keys.map((key) => timingSafeEqual(createHmac("sha512", key).update(raw).digest(), given));
	return fits.includes(true);
}
