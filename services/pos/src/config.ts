import { integer, keyEncryptionKeys, url } from "@lango/chassis";

/** The settings of the point of sale, besides those of every domain service. */
export const settings = {
	publicUrl: url({
		env: "POS_URL",
		default: "http://localhost:4005",
		because: "its own address: the issuer of the tokens of tills",
	}),
	keyEncryptionKeys: keyEncryptionKeys({
		because:
			"id:base64 of 32 bytes, by commas, newest first: they encrypt the keys that sign tokens of tills. It replaces LANGO_KEY_ENCRYPTION_KEYS here: put a new key first and, for the keys that are sealed already, that value behind it (docs/pages/operating.md, Rotating keys)",
	}),
	pinHashesAtOnce: integer({
		default: 2,
		min: 1,
		max: 64,
		because: "PINs hashed at the same time; about one a core",
	}),
	pinHashesWaiting: integer({
		default: 64,
		min: 1,
		max: 10_000,
		because: "sign-ins that may wait for a hash; more are told to come back",
	}),
	keyRefreshSeconds: integer({
		default: 60,
		min: 1,
		max: 60,
		because: "how often signing keys are looked after: rotated when due, and read again",
	}),
};

export type Settings = typeof settings;
