import { createTexts } from "@lango/interface";

const english = {
	title: "Payment gateways",
	lead: "How the platform reaches the gateways that collect and pay money. Secrets are stored encrypted and never shown.",
	names: { "mobile-money": "Mobile money", "card-gateway": "Cards and banks" },
	gateway: "Gateway",
	environment: "Environment",
	environments: { sandbox: "Sandbox", production: "Production" },
	baseUrl: "Address",
	baseUrlHint: "In production it must begin with https and be public.",
	certificate: "Certificate",
	certificateHint: "PEM. It encrypts the passwords of initiators.",
	webhookUrl: "Address for webhooks, to set at the gateway",
	secrets: {
		consumer_key: "Consumer key",
		consumer_secret: "Consumer secret",
		passkey: "Passkey",
		secret_key: "Secret key",
		public_key: "Public key",
		webhook_secret: "Webhook secret",
	},
	save: "Save",
	saving: "Saving…",
	saved: (name: string) => `${name}: the settings were saved.`,
	errors: {
		url_refused: "The address must be https and public in production.",
		certificate_invalid: "This is not a PEM certificate or public key of RSA.",
	},
};

const swahili: typeof english = {
	title: "Mifumo ya malipo",
	lead: "Jinsi jukwaa linavyofikia mifumo inayokusanya na kulipa pesa. Siri huhifadhiwa kwa kusimbwa na hazionyeshwi kamwe.",
	names: { "mobile-money": "Pesa za simu", "card-gateway": "Kadi na benki" },
	gateway: "Mfumo wa malipo",
	environment: "Mazingira",
	environments: { sandbox: "Ya majaribio", production: "Halisi" },
	baseUrl: "Anwani ya mfumo",
	baseUrlHint: "Katika mazingira halisi lazima ianze na https na iwe ya umma.",
	certificate: "Cheti",
	certificateHint: "Cha PEM. Husimba nenosiri la waanzilishi.",
	webhookUrl: "Anwani ya webhook, ya kuwekwa kwenye mfumo wa malipo",
	secrets: {
		consumer_key: "Ufunguo wa mtumiaji (consumer key)",
		consumer_secret: "Siri ya mtumiaji (consumer secret)",
		passkey: "Ufunguo wa siri (passkey)",
		secret_key: "Ufunguo wa siri",
		public_key: "Ufunguo wa umma",
		webhook_secret: "Siri ya webhook",
	},
	save: "Hifadhi",
	saving: "Inahifadhiwa…",
	saved: (name) => `${name}: mipangilio imehifadhiwa.`,
	errors: {
		url_refused: "Anwani lazima iwe ya https na ya umma katika mazingira halisi.",
		certificate_invalid: "Hiki si cheti cha PEM wala ufunguo wa umma wa RSA.",
	},
};

export const tables = { en: english, sw: swahili };
export const useGatewayTexts = createTexts(tables);
