import {
	acceptedKeys,
	defineSettings,
	flag,
	integer,
	keyEncryptionKeys,
	keysPage,
	platformSettings,
	replacedSetting,
	serviceKey,
	text,
	url,
} from "@lango/chassis";
import { clientAddressSettings } from "./clients/client-seed.ts";

/** Every setting of the sign-on service. */
export const settings = defineSettings("AUTH", {
	...platformSettings,
	accountsUrl: url({
		env: "ACCOUNTS_URL",
		default: "http://localhost:3000",
		because: "the URL of the sign-in and registration pages",
	}),
	subscriptionsUrl: url({
		env: "SUBSCRIPTIONS_URL",
		default: "http://localhost:4001",
		because: "the address of the subscription service, which has the subscription claims of tokens",
	}),
	snapshotReadKey: serviceKey({
		purpose: "snapshot.read",
		because: `the key for reading snapshots from the subscription service; it replaces SUBSCRIPTIONS_API_KEY (${keysPage})`,
	}),
	oldSubscriptionsApiKey: replacedSetting({
		env: "SUBSCRIPTIONS_API_KEY",
		by: `set AUTH_SNAPSHOT_READ_KEY, and list it in SUBSCRIPTIONS_API_KEYS of the subscription service (${keysPage})`,
	}),
	keyEncryptionKeys: keyEncryptionKeys({
		env: "LANGO_KEY_ENCRYPTION_KEYS",
		because:
			"id:base64 of 32 bytes, separated by commas, newest first: they encrypt signing keys, and refresh tokens are derived from them",
	}),
	passwordHashesAtOnce: integer({
		default: 2,
		min: 1,
		max: 64,
		because: "passwords hashed at the same time; about one per core",
	}),
	passwordHashesWaiting: integer({
		default: 64,
		min: 1,
		max: 10_000,
		because: "sign-ins that may wait for a hash; further ones get 503 sign_in_busy",
	}),
	passwordHashesPerAccount: integer({
		default: 8,
		min: 1,
		max: 10_000,
		because: "password checks in flight for one account; more get 429",
	}),
	passwordHashesPerAddress: integer({
		default: 16,
		min: 1,
		max: 10_000,
		because: "password checks in flight for one IP address (IPv6: one /64); more get 429",
	}),
	passwordHashesPerTenant: integer({
		default: 32,
		min: 1,
		max: 10_000,
		because:
			"password checks in flight for one tenant that sign-ins name, known devices excepted; more get 429",
	}),
	keyRefreshSeconds: integer({
		default: 60,
		min: 1,
		max: 60,
		because: "how often signing keys are reloaded, and rotated when due",
	}),
	apiKeys: acceptedKeys({
		receiver: "auth",
		because:
			"the keys of other services, caller:purpose:key separated by commas: tenants.read reads tenants by id and their outlets, links.read links to send by mail; without it no key is accepted",
		optional: true,
	}),
	oldApiKey: replacedSetting({
		env: "AUTH_API_KEY",
		by: `list one key per caller and purpose in AUTH_API_KEYS (${keysPage})`,
	}),
	showLinks: flag({
		default: false,
		because:
			"shows in the log the links that would be sent by mail; refused unless NODE_ENV is development or test",
	}),
	registrationsPerAddressHour: integer({
		default: 600,
		min: 1,
		max: 1_000_000,
		because: "people who may register from one IP address in an hour",
	}),
	placesFile: text({
		optional: true,
		because:
			"the path of a database of places by IP address, in MaxMind DB format, such as GeoLite2 City: a list of sessions then names the place of each sign-in; without it no place is found",
	}),
	...clientAddressSettings,
});
