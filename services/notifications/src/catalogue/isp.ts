import type { TemplateSource } from "../rendering/compile-template.ts";
import { composeTemplate, type Texts, variables } from "./compose.ts";

/** `isp/*`: messages of an internet provider to its customers, and of low credit to its administrators. */

const hello = "Hello {{ customer_name }},";
const english = {
	credentials: {
		title: "Your internet access is ready",
		lead: [hello, "Your package is active. Sign in with these credentials:"],
		facts: [
			["User name", "{{ username }}"],
			["Password", "{{ password }}"],
			["Package", "{{ package_name }} ({{ package_type }})"],
			["Valid until", "{{ expiry_at }}"],
		],
		notes: ["Do not give your password to anyone."],
		short:
			"User name {{ username }}, password {{ password }}. {{ package_name }} ({{ package_type }}) is valid until {{ expiry_at }}.",
	},
	payment: {
		title: "Payment received: {{ amount | money: currency }}",
		lead: [hello, "Thank you. We received your payment."],
		facts: [
			["Amount", "{{ amount | money: currency }}"],
			["Package", "{{ package_name }}"],
			["Valid until", "{{ expiry_at }}"],
		],
		short:
			"We received {{ amount | money: currency }}. {{ package_name }} is valid until {{ expiry_at }}. Thank you.",
	},
	renewal: {
		title: "Your subscription is renewed",
		lead: [hello, "Your subscription is renewed. You can stay connected."],
		facts: [
			["Package", "{{ package_name }}"],
			["Type", "{{ package_type }}"],
			["Valid until", "{{ expiry_at }}"],
		],
		short: "{{ package_name }} ({{ package_type }}) is renewed and valid until {{ expiry_at }}.",
	},
	expiring: {
		title: "Your subscription ends soon",
		lead: [
			hello,
			'Your subscription ends in {{ days_remaining }} {{ days_remaining | plural: "day", "days" }}. Renew it to stay connected.',
		],
		facts: [
			["Package", "{{ package_name }}"],
			["Ends", "{{ expiry_at }}"],
		],
		short:
			'{{ package_name }} ends in {{ days_remaining }} {{ days_remaining | plural: "day", "days" }}, on {{ expiry_at }}. Renew it to stay connected.',
	},
	credit: {
		title: "SMS credit of {{ tenant_name }} is low",
		lead: ["Hello,", "The SMS credit of {{ tenant_name }} is low. Without credit no SMS is sent."],
		facts: [
			["Balance", "{{ balance }}"],
			["Threshold", "{{ threshold }}"],
		],
		short: "{{ tenant_name }} has a balance of {{ balance }}. The threshold is {{ threshold }}.",
	},
} satisfies Record<string, Texts>;

const jambo = "Habari {{ customer_name }},";
const swahili: Record<keyof typeof english, Texts> = {
	credentials: {
		title: "Huduma yako ya intaneti iko tayari",
		lead: [jambo, "Mpango wako umeanza kutumika. Ingia kwa taarifa hizi:"],
		facts: [
			["Jina la mtumiaji", "{{ username }}"],
			["Nenosiri", "{{ password }}"],
			["Mpango", "{{ package_name }} ({{ package_type }})"],
			["Unatumika hadi", "{{ expiry_at }}"],
		],
		notes: ["Usimpe mtu mwingine nenosiri lako."],
		short:
			"Jina la mtumiaji {{ username }}, nenosiri {{ password }}. {{ package_name }} ({{ package_type }}) unatumika hadi {{ expiry_at }}.",
	},
	payment: {
		title: "Malipo yamepokelewa: {{ amount | money: currency }}",
		lead: [jambo, "Asante. Tumepokea malipo yako."],
		facts: [
			["Kiasi", "{{ amount | money: currency }}"],
			["Mpango", "{{ package_name }}"],
			["Unatumika hadi", "{{ expiry_at }}"],
		],
		short:
			"Tumepokea {{ amount | money: currency }}. {{ package_name }} unatumika hadi {{ expiry_at }}. Asante.",
	},
	renewal: {
		title: "Usajili wako umehuishwa",
		lead: [jambo, "Usajili wako umehuishwa. Utaendelea kupata intaneti."],
		facts: [
			["Mpango", "{{ package_name }}"],
			["Aina", "{{ package_type }}"],
			["Unatumika hadi", "{{ expiry_at }}"],
		],
		short: "{{ package_name }} ({{ package_type }}) umehuishwa na unatumika hadi {{ expiry_at }}.",
	},
	expiring: {
		title: "Usajili wako unakaribia kuisha",
		lead: [
			jambo,
			"Usajili wako utaisha baada ya siku {{ days_remaining }}. Uhuishe ili uendelee kupata intaneti.",
		],
		facts: [
			["Mpango", "{{ package_name }}"],
			["Utaisha", "{{ expiry_at }}"],
		],
		short:
			"{{ package_name }} utaisha baada ya siku {{ days_remaining }}, tarehe {{ expiry_at }}. Uhuishe ili uendelee kupata intaneti.",
	},
	credit: {
		title: "Salio la SMS la {{ tenant_name }} ni dogo",
		lead: ["Habari,", "Salio la SMS la {{ tenant_name }} linakaribia kuisha. Bila salio, SMS hazitatumwa."],
		facts: [
			["Salio", "{{ balance }}"],
			["Kiwango cha onyo", "{{ threshold }}"],
		],
		short: "{{ tenant_name }} ina salio la {{ balance }}. Kiwango cha onyo ni {{ threshold }}.",
	},
};

const customer = { customer_name: "Brian Otieno", package_name: "Home 10 Mbps" };
const expiryAt = "2026-12-23T20:59:00Z";

export const ispTemplates: readonly TemplateSource[] = [
	composeTemplate({
		path: "isp/subscription_credentials",
		category: "credentials",
		variables: variables("customer_name username password:secret package_name package_type expiry_at:date"),
		samples: {
			...customer,
			username: "botieno",
			password: "sample-4821",
			package_type: "PPPoE",
			expiry_at: expiryAt,
		},
		channels: ["sms", "whatsapp", "email"],
		texts: { en: english.credentials, sw: swahili.credentials },
	}),
	composeTemplate({
		path: "isp/payment_received",
		category: "billing",
		variables: variables("customer_name amount:number currency package_name expiry_at:date"),
		samples: { ...customer, amount: 2500, currency: "KES", expiry_at: expiryAt },
		channels: ["sms", "email"],
		texts: { en: english.payment, sw: swahili.payment },
	}),
	composeTemplate({
		path: "isp/subscription_renewal",
		category: "billing",
		variables: variables("customer_name package_name package_type expiry_at:date"),
		samples: { ...customer, package_type: "PPPoE", expiry_at: expiryAt },
		channels: ["sms", "whatsapp", "email"],
		texts: { en: english.renewal, sw: swahili.renewal },
	}),
	composeTemplate({
		path: "isp/isp_subscription_expiring",
		category: "billing",
		variables: variables("customer_name package_name expiry_at:date days_remaining:number"),
		samples: { ...customer, expiry_at: expiryAt, days_remaining: 3 },
		channels: ["sms", "whatsapp", "email"],
		texts: { en: english.expiring, sw: swahili.expiring },
	}),
	composeTemplate({
		path: "isp/low_credit_alert",
		category: "billing",
		variables: variables("tenant_name balance:number threshold:number"),
		samples: { tenant_name: "Uhai Hospital", balance: 48, threshold: 100 },
		channels: ["email", "push", "in_app"],
		texts: { en: english.credit, sw: swahili.credit },
	}),
];
