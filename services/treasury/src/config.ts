import { keyEncryptionKeys, oneOf, secret, text, url } from "@lango/chassis";

/** The settings of the treasury, besides those of every domain service. */
export const settings = {
	publicBaseUrl: url({
		env: "HTTP_PUBLIC_BASE_URL",
		default: "http://localhost:4003",
		because:
			"the public address of the treasury: the addresses that gateways call begin with it (payments text §2.3)",
	}),
	consoleUrl: url({
		env: "CONSOLE_UI_URL",
		default: "http://localhost:3001",
		because: "the address of the console, which has the page where anybody can pay",
	}),
	billing: oneOf(["on", "off"], {
		default: "on",
		because:
			"whether the treasury collects what other services ask tenants to pay; off while the sandbox of the subscription service answers them (SUBSCRIPTIONS_SANDBOX_BILLING), because one of both may answer. npm start sets it",
	}),
	keyEncryptionKeys: keyEncryptionKeys({
		because:
			"id:base64 of 32 bytes, separated by commas, newest first: they encrypt the credentials of gateways and the account numbers of recipients (docs/pages/operating.md, Rotating keys)",
	}),
	mobileMoneyUrl: url({
		env: "MOBILE_MONEY_URL",
		optional: true,
		because:
			"the mobile-money gateway, until its profile has an address; without either, nothing is collected through it",
	}),
	cardgwUrl: url({
		env: "CARDGW_URL",
		optional: true,
		because:
			"the card gateway, until its profile has an address; without either, nothing is collected through it",
	}),
	cardgwSecretKey: secret({
		env: "CARDGW_SECRET_KEY",
		optional: true,
		because:
			"the secret key of the card gateway, until its profile has one. It verifies webhooks also afterwards",
	}),
	cardgwPublicKey: secret({
		env: "CARDGW_PUBLIC_KEY",
		optional: true,
		because: "the public key of the card gateway, for pages; the treasury itself does not use it",
	}),
	cardgwWebhookSecret: secret({
		env: "CARDGW_WEBHOOK_SECRET",
		optional: true,
		because: "a further key that verifies webhooks of the card gateway, besides its secret keys",
	}),
	cardgwCallbackUrl: url({
		env: "CARDGW_CALLBACK_URL",
		optional: true,
		because:
			"where the card gateway sends the payer's browser; without it /api/v1/payments/callback of HTTP_PUBLIC_BASE_URL",
	}),
	cardgwWebhookUrl: url({
		env: "CARDGW_WEBHOOK_URL",
		optional: true,
		because:
			"where the card gateway sends its events; without it /api/v1/webhooks/cardgateway of HTTP_PUBLIC_BASE_URL",
	}),
	spoolDir: text({
		env: "TREASURY_SPOOL_DIR",
		default: "/tmp/lango-treasury-spool",
		because:
			"the folder where callbacks of the mobile-money gateway wait while the database is unavailable; they are sent once only, so it must outlive the process",
	}),
};

export type Settings = typeof settings;
