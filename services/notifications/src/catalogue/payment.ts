import type { TemplateSource } from "../rendering/compile-template.ts";
import { composeTemplate, person, type Texts, variables } from "./compose.ts";

/** `payment/*`: messages to administrators about payments of their tenant. Amounts are formatted texts. */

const hello = "Hello {{ name }},";
const english = {
	received: {
		title: "Payment received: {{ amount }}",
		lead: [hello, "Thank you. We received the payment of {{ tenant_name }}."],
		facts: [
			["Organisation", "{{ tenant_name }}"],
			["Amount", "{{ amount }}"],
			["Date", "{{ date | date }}"],
		],
		button: "View the receipt",
		short: "We received {{ amount }} from {{ tenant_name }} on {{ date | date }}. Thank you.",
	},
	failed: {
		title: "Payment failed: {{ amount }}",
		lead: [hello, "The payment of {{ tenant_name }} failed. Try again or choose another way to pay."],
		facts: [
			["Amount", "{{ amount }}"],
			["Date", "{{ date | date }}"],
			["Reason", "{{ reason }}"],
		],
		button: "Try again",
		short: "The payment of {{ amount }} failed: {{ reason }}",
	},
	required: {
		title: "Payment required: {{ amount }}",
		lead: [hello, "A payment of {{ tenant_name }} is due."],
		facts: [
			["Amount", "{{ amount }}"],
			["Due on", "{{ date | date }}"],
			["Reason", "{{ reason }}"],
		],
		button: "Pay now",
		short: "{{ amount }} is due on {{ date | date }}: {{ reason }}",
	},
} satisfies Record<string, Texts>;

const jambo = "Habari {{ name }},";
const swahili: Record<keyof typeof english, Texts> = {
	received: {
		title: "Malipo yamepokelewa: {{ amount }}",
		lead: [jambo, "Asante. Tumepokea malipo ya {{ tenant_name }}."],
		facts: [
			["Shirika", "{{ tenant_name }}"],
			["Kiasi", "{{ amount }}"],
			["Tarehe", "{{ date | date }}"],
		],
		button: "Tazama risiti",
		short: "Tumepokea {{ amount }} kutoka {{ tenant_name }} tarehe {{ date | date }}. Asante.",
	},
	failed: {
		title: "Malipo hayakufanikiwa: {{ amount }}",
		lead: [
			jambo,
			"Malipo ya {{ tenant_name }} hayakufanikiwa. Jaribuni tena au chagueni njia nyingine ya kulipa.",
		],
		facts: [
			["Kiasi", "{{ amount }}"],
			["Tarehe", "{{ date | date }}"],
			["Sababu", "{{ reason }}"],
		],
		button: "Jaribu tena",
		short: "Malipo ya {{ amount }} hayakufanikiwa: {{ reason }}",
	},
	required: {
		title: "Malipo yanahitajika: {{ amount }}",
		lead: [jambo, "{{ tenant_name }} inadaiwa malipo."],
		facts: [
			["Kiasi", "{{ amount }}"],
			["Tarehe ya mwisho", "{{ date | date }}"],
			["Sababu", "{{ reason }}"],
		],
		button: "Lipa sasa",
		short: "{{ amount }} inatakiwa kulipwa kufikia {{ date | date }}: {{ reason }}",
	},
};

const channels = ["email", "in_app"] as const;
const payment = {
	...person,
	tenant_name: "Uhai Hospital",
	amount: "KES 4,500",
	date: "2026-11-23T09:12:00Z",
	action_link: "https://console.example.com/uhai/subscribe/payments/812",
};
const category = "billing";
const withReason = variables("name tenant_name amount date:date reason action_link:link");

export const paymentTemplates: readonly TemplateSource[] = [
	composeTemplate({
		path: "payment/received",
		category,
		variables: variables("name tenant_name amount date:date action_link:link"),
		samples: payment,
		channels,
		texts: { en: english.received, sw: swahili.received },
	}),
	composeTemplate({
		path: "payment/failed",
		category,
		variables: withReason,
		samples: { ...payment, reason: "The customer cancelled the request." },
		channels,
		texts: { en: english.failed, sw: swahili.failed },
	}),
	composeTemplate({
		path: "payment/required",
		category,
		variables: withReason,
		samples: { ...payment, reason: "The plan Growth is renewed." },
		channels,
		texts: { en: english.required, sw: swahili.required },
	}),
];
