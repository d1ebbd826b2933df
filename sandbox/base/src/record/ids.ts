import { createHash } from "node:crypto";

/**
 * Ids and chance that follow from a seed and the ordinal of a request: the same requests in the same order
 * get the same ids in every run.
 */
export type Ids = {
	/** Hexadecimal digits; `purpose` distinguishes several ids of one request. */
	hex(ordinal: number, purpose: string, digits: number): string;
	/** A UUID of version 4 in form, RFC 9562 §5.4. */
	uuid(ordinal: number, purpose: string): string;
	/** A number from 0 (included) to 1 (excluded). */
	chance(ordinal: number, purpose: string): number;
};

/** Ids of one seed. */
export function createIds(seed: string): Ids {
	const bytes = (ordinal: number, purpose: string) =>
		createHash("sha512").update(`${seed}\n${ordinal}\n${purpose}`).digest();
	const hex = (ordinal: number, purpose: string, digits: number) =>
		bytes(ordinal, purpose).toString("hex").slice(0, digits);
	return {
		hex,
		uuid: (ordinal, purpose) => {
			const digits = hex(ordinal, purpose, 32);
			const variant = "89ab"[Number.parseInt(digits.charAt(16), 16) % 4];
			return [
				digits.slice(0, 8),
				digits.slice(8, 12),
				`4${digits.slice(13, 16)}`,
				`${variant}${digits.slice(17, 20)}`,
				digits.slice(20, 32),
			].join("-");
		},
		chance: (ordinal, purpose) => bytes(ordinal, purpose).readUInt32BE(0) / 2 ** 32,
	};
}
