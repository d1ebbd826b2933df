import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";
import { deriveKey, type KeyEncryptionKeys, mintSecret } from "@lango/tokens";

/**
 * A cookie with the accounts that have signed in on a browser, so that failures elsewhere do not lock out
 * its users.
 */
export type KnownDevices = {
	/**
	 * The device's id for an account, used as a limiter key; undefined if the account never signed in there.
	 */
	find(cookie: string | undefined, account: string): string | undefined;
	/** The cookie's next value with the account in it; the cookie contains the last five accounts. */
	remember(cookie: string | undefined, account: string): string;
	/**
	 * A keyed hash of what two sign-ins of an account have in common if they come from one device that keeps no
	 * cookie. It cannot be reversed without the key.
	 */
	likenessOf(account: string, origin: { network: string; userAgent: string }): Buffer;
};

const accountsMax = 5;
const entry = /^[\w-]{22}\.[\w-]{43}$/;

/** Marks are `random.mac`, the MAC over the random part and the account, so that marks cannot be forged. */
export function createKnownDevices(encryption: KeyEncryptionKeys): KnownDevices {
	const keys = encryption.map((one) => deriveKey(one, "lango known devices"));
	const newest = keys[0];
	if (newest === undefined) throw new Error("no key for device marks is configured");
	const sign = (key: KeyObject, random: string, account: string) =>
		createHmac("sha256", key).update(`${random}.${account}`).digest("base64url");
	const entries = (cookie: string | undefined) =>
		(cookie ?? "")
			.split("~")
			.slice(0, accountsMax)
			.filter((one) => entry.test(one));
	const isOf = (account: string) => (one: string) => {
		const [random = "", mac = ""] = one.split(".");
		return keys.some((key) => timingSafeEqual(Buffer.from(sign(key, random, account)), Buffer.from(mac)));
	};

	return {
		find: (cookie, account) => entries(cookie).find(isOf(account)),
		remember(cookie, account) {
			const known = entries(cookie);
			const others = known.filter((one) => !isOf(account)(one));
			const random = mintSecret(16);
			const mine = known.find(isOf(account)) ?? `${random}.${sign(newest, random, account)}`;
			return [mine, ...others].slice(0, accountsMax).join("~");
		},
		likenessOf: (account, { network, userAgent }) =>
			createHmac("sha256", newest).update(`likeness\n${account}\n${network}\n${userAgent}`).digest(),
	};
}
