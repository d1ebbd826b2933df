import type { TemplateSource } from "../rendering/compile-template.ts";
import { composeTemplate, person, type Texts, variables } from "./compose.ts";

/** `payment/*`: messages to administrators about payments of their tenant. Amounts are formatted texts. */

/** Words that the treasury uses as reasons, in a language. Any other reason is shown as it is. */
const inWords = (texts: Readonly<Record<string, string>>): string =>
	[
		"{% case reason %}",
		...Object.entries(texts).map(([word, text]) => `{% when "${word}" %}${text}`),
		"{% else %}{{ reason }}{% endcase %}",
	].join("");

const failedEnglish = inWords({
	expired: "It was not paid in time.",
	cancelled_by_payer: "The payer cancelled the request.",
	insufficient_funds: "The payer has not enough money.",
	refused: "The payment was refused.",
	no_billing_method: "No way to pay is set up.",
	not_executed: "The automatic payment was not made.",
	halted: "Payments are paused.",
});
const requiredEnglish = inWords({
	checkout: "The first payment of a plan.",
	change: "A change of the plan.",
	renewal: "The plan is renewed.",
	overage: "Use beyond the plan.",
	top_up: "SMS credit.",
});

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
			["Reason", failedEnglish],
		],
		button: "Try again",
		short: `The payment of {{ amount }} failed: ${failedEnglish}`,
	},
	required: {
		title: "Payment required: {{ amount }}",
		lead: [hello, "A payment of {{ tenant_name }} is due."],
		facts: [
			["Amount", "{{ amount }}"],
			["Due on", "{{ date | date }}"],
			["Reason", requiredEnglish],
		],
		button: "Pay now",
		short: `{{ amount }} is due on {{ date | date }}: ${requiredEnglish}`,
	},
} satisfies Record<string, Texts>;

const failedSwahili = inWords({
	expired: "Hayakulipwa kwa wakati.",
	cancelled_by_payer: "Mlipaji ameghairi ombi.",
	insufficient_funds: "Mlipaji hana pesa za kutosha.",
	refused: "Malipo yamekataliwa.",
	no_billing_method: "Hakuna njia ya kulipa iliyowekwa.",
	not_executed: "Malipo ya kiotomatiki hayakufanyika.",
	halted: "Malipo yamesitishwa kwa sasa.",
});
const requiredSwahili = inWords({
	checkout: "Malipo ya kwanza ya mpango.",
	change: "Mabadiliko ya mpango.",
	renewal: "Mpango unaongezwa muda.",
	overage: "Matumizi zaidi ya mpango.",
	top_up: "Salio la SMS.",
});

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
			["Sababu", failedSwahili],
		],
		button: "Jaribu tena",
		short: `Malipo ya {{ amount }} hayakufanikiwa: ${failedSwahili}`,
	},
	required: {
		title: "Malipo yanahitajika: {{ amount }}",
		lead: [jambo, "{{ tenant_name }} inadaiwa malipo."],
		facts: [
			["Kiasi", "{{ amount }}"],
			["Tarehe ya mwisho", "{{ date | date }}"],
			["Sababu", requiredSwahili],
		],
		button: "Lipa sasa",
		short: `{{ amount }} inatakiwa kulipwa kufikia {{ date | date }}: ${requiredSwahili}`,
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
		samples: { ...payment, reason: "cancelled_by_payer" },
		channels,
		texts: { en: english.failed, sw: swahili.failed },
	}),
	composeTemplate({
		path: "payment/required",
		category,
		variables: withReason,
		samples: { ...payment, reason: "renewal" },
		channels,
		texts: { en: english.required, sw: swahili.required },
	}),
];
