import { integer, keyEncryptionKeys, url } from "@lango/chassis";

/** The settings of the point of sale, besides those of every domain service. */
export const settings = {
	publicUrl: url({
		env: "POS_URL",
		default: "http://localhost:4005",
		because: "the public address of this service, and the issuer of till tokens",
	}),
	keyEncryptionKeys: keyEncryptionKeys({
		because:
			"id:base64 of 32 bytes, separated by commas, newest first: they encrypt the keys that sign till tokens. It replaces LANGO_KEY_ENCRYPTION_KEYS here: put a new key first and, while existing keys are encrypted with it, that value behind it (docs/pages/operating.md, Rotating keys)",
	}),
	pinHashesAtOnce: integer({
		default: 2,
		min: 1,
		max: 64,
		because: "PINs hashed at the same time; about one per core",
	}),
	pinHashesWaiting: integer({
		default: 64,
		min: 1,
		max: 10_000,
		because: "sign-ins that may wait for a hash; further ones are refused with Retry-After",
	}),
	keyRefreshSeconds: integer({
		default: 60,
		min: 1,
		max: 60,
		because: "how often signing keys are reloaded, and rotated when due",
	}),
};

export type Settings = typeof settings;
