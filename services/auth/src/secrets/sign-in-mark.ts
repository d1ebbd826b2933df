import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";
import { deriveKey, type KeyEncryptionKeys } from "@lango/tokens";

/** The parameter of the mark; it is not part of the request that the mark signs. */
export const markName = "sign_in_mark";

/** The parameters of the authorization request that a mark is made for. */
type Parameters = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Signed marks in the return address, with the time at which the browser was sent to the sign-in page for a
 * request.
 */
export type SignInMarks = {
	write(request: Parameters, at: Date): string;
	/** The time of the mark; undefined if it is forged, for another request, or older than half an hour. */
	read(text: string | undefined, request: Parameters, now: Date): Date | undefined;
};

const lifeMs = 30 * 60_000;
const form = /^(\d{13})\.([\w-]{43})$/;

/** Creates and verifies the marks. They show that a requested new sign-in has happened. */
export function createSignInMarks(encryption: KeyEncryptionKeys): SignInMarks {
	const keys = encryption.map((one) => deriveKey(one, "lango sign-in marks"));
	const sign = (key: KeyObject, at: string, request: Parameters) =>
		createHmac("sha256", key)
			.update(`${at}\n${textOf(request)}`)
			.digest("base64url");
	const newest = keys[0];
	if (newest === undefined) throw new Error("no key for sign-in marks is configured");

	return {
		write: (request, at) => `${at.getTime()}.${sign(newest, String(at.getTime()), request)}`,
		read(text, request, now) {
			const [, at, mac] = form.exec(text ?? "") ?? [];
			if (at === undefined || mac === undefined || now.getTime() - Number(at) > lifeMs) return undefined;
			const isOurs = keys.some((key) =>
				timingSafeEqual(Buffer.from(sign(key, at, request)), Buffer.from(mac)),
			);
			return isOurs ? new Date(Number(at)) : undefined;
		},
	};
}

/**
 * All parameters of the request except the mark, in sorted order: client, address, state, nonce, challenge
 * and so on.
 */
function textOf(request: Parameters): string {
	const entries = Object.entries(request).filter(([name]) => name !== markName);
	return JSON.stringify(entries.map(([name, value]) => [name, [value ?? []].flat()]).sort(byName));
}

const byName = ([one]: unknown[], [other]: unknown[]) => (String(one) < String(other) ? -1 : 1);
