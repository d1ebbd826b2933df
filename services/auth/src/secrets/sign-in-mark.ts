import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";
import { deriveKey, type KeyEncryptionKeys } from "@lango/tokens";

/** The parameter a mark comes back in; it is no part of the request it is made for. */
export const markName = "sign_in_mark";

/** The parameters of the authorization request that a mark is made for. */
type Parameters = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Marks that say "sent to the sign-in page at this time, for this request", carried in the address the browser comes back to. */
export type SignInMarks = {
	write(request: Parameters, at: Date): string;
	/** When the mark was made; undefined when it is none of ours, for another request, or older than half an hour. */
	read(text: string | undefined, request: Parameters, now: Date): Date | undefined;
};

const lifeMs = 30 * 60_000;
const form = /^(\d{13})\.([\w-]{43})$/;

/** Makes and reads the marks, so that a sign-in asked for anew is seen to have happened since. */
export function createSignInMarks(encryption: KeyEncryptionKeys): SignInMarks {
	const keys = encryption.map((one) => deriveKey(one, "lango sign-in marks"));
	const sign = (key: KeyObject, at: string, request: Parameters) =>
		createHmac("sha256", key)
			.update(`${at}\n${textOf(request)}`)
			.digest("base64url");
	const newest = keys[0];
	if (newest === undefined) throw new Error("there is no key to make marks with");

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

/** The whole request but the mark, in whatever order its parameters came: client, address, state, nonce, challenge and all. */
function textOf(request: Parameters): string {
	const entries = Object.entries(request).filter(([name]) => name !== markName);
	return JSON.stringify(entries.map(([name, value]) => [name, [value ?? []].flat()]).sort(byName));
}

const byName = ([one]: unknown[], [other]: unknown[]) => (String(one) < String(other) ? -1 : 1);
