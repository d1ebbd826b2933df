import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";
import { deriveKey, type KeyEncryptionKeys, mintSecret } from "@lango/tokens";

/** What a browser keeps of the accounts that have signed in on it, so that strangers' failures do not lock its people out. */
export type KnownDevices = {
	/** The device's mark for an account, as counted by; undefined when the account never signed in there. */
	find(cookie: string | undefined, account: string): string | undefined;
	/** The cookie's next value: the account is known there from now on, among the last five. */
	remember(cookie: string | undefined, account: string): string;
};

const accountsMax = 5;
const entry = /^[\w-]{22}\.[\w-]{43}$/;

/** Marks are `random.mac`, the mac over the random part and the account, so that nobody makes one up. */
export function createKnownDevices(encryption: KeyEncryptionKeys): KnownDevices {
	const keys = encryption.map((one) => deriveKey(one, "lango known devices"));
	const newest = keys[0];
	if (newest === undefined) throw new Error("there is no key to know devices by");
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
	};
}
