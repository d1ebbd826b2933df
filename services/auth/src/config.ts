import { defineSettings, integer, platformSettings, secret, url } from "@lango/chassis";
import { clientAddressSettings } from "./clients/client-seed.ts";

/** Every setting of the sign-on service. */
export const settings = defineSettings("AUTH", {
	...platformSettings,
	accountsUrl: url({
		env: "ACCOUNTS_URL",
		default: "http://localhost:3000",
		because: "where the sign-in and registration pages are",
	}),
	subscriptionsUrl: url({
		env: "SUBSCRIPTIONS_URL",
		default: "http://localhost:4001",
		because: "whom to ask what a tenant's token may say of its subscription",
	}),
	subscriptionsApiKey: secret({
		env: "SUBSCRIPTIONS_API_KEY",
		because: "the key by which other services ask the subscription service",
	}),
	keyEncryptionKeys: secret({
		env: "LANGO_KEY_ENCRYPTION_KEYS",
		because:
			"id:base64 of 32 bytes, by commas, newest first: they encrypt signing keys and make refresh tokens",
	}),
	passwordHashesAtOnce: integer({
		default: 2,
		min: 1,
		max: 64,
		because: "passwords hashed at the same time; about one a core",
	}),
	passwordHashesWaiting: integer({
		default: 64,
		min: 1,
		max: 10_000,
		because: "sign-ins that may wait for a hash; more are told to come back",
	}),
	keyRefreshSeconds: integer({
		default: 60,
		min: 1,
		max: 300,
		because: "how often signing keys are looked after: rotated when due, and read again",
	}),
	...clientAddressSettings,
});
