import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import type { KeyEncryptionKeys } from "@lango/tokens";

/** Marks that say "sent to the sign-in page at this time", carried in the address the browser comes back to. */
export type SignInMarks = {
	write(at: Date): string;
	/** When the mark was made; undefined when it is none of ours, or older than half an hour. */
	read(text: string | undefined, now: Date): Date | undefined;
};

const lifeMs = 30 * 60_000;
const form = /^(\d{13})\.([\w-]{43})$/;

/** Makes and reads the marks, so that a sign-in asked for anew is seen to have happened since. */
export function createSignInMarks(encryption: KeyEncryptionKeys): SignInMarks {
	const keys = encryption.map(({ key }) =>
		Buffer.from(hkdfSync("sha256", key, "", "lango sign-in marks", 32)),
	);
	const sign = (key: Buffer, at: string) => createHmac("sha256", key).update(at).digest("base64url");
	const newest = keys[0];
	if (newest === undefined) throw new Error("there is no key to make marks with");

	return {
		write: (at) => `${at.getTime()}.${sign(newest, String(at.getTime()))}`,
		read(text, now) {
			const [, at, mac] = form.exec(text ?? "") ?? [];
			if (at === undefined || mac === undefined || now.getTime() - Number(at) > lifeMs) return undefined;
			const isOurs = keys.some((key) => timingSafeEqual(Buffer.from(sign(key, at)), Buffer.from(mac)));
			return isOurs ? new Date(Number(at)) : undefined;
		},
	};
}
