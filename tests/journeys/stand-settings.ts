import { mintApiKey } from "@lango/tokens";

/** The key-encryption keys of services that are started alone. */
export const encryptionKeys = `k1:${Buffer.alloc(32, 7).toString("base64")}`;

/** What a service requires to start, besides what every stand sets. */
export const standSettings = (name: string): Record<string, string> => ({
	LANGO_KEY_ENCRYPTION_KEYS: encryptionKeys,
	[`${name.toUpperCase()}_KEY_ENCRYPTION_KEYS`]: encryptionKeys,
	...(name === "notifications" && {
		NOTIFICATIONS_LINKS_READ_KEY: mintApiKey().text,
		NOTIFICATIONS_RECIPIENTS_READ_KEY: mintApiKey().text,
		NOTIFICATIONS_USAGE_REPORT_KEY: mintApiKey().text,
		NOTIFICATIONS_DISPATCH: "off",
		NOTIFICATIONS_STREAM_SECONDS: "1",
	}),
	...(name === "subscriptions" && {
		SUBSCRIPTIONS_API_KEYS: `test:snapshot.read:${mintApiKey().text}`,
	}),
});
