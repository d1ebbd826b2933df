import type { TemplateSource } from "../rendering/compile-template.ts";
import { composeTemplate, person, type Texts, variables } from "./compose.ts";
import { inWords, paymentFailed } from "./in-words.ts";

/** `payment/*`: messages to administrators about payments of their tenant. Amounts are formatted texts. */

const failedEnglish = inWords("reason", paymentFailed.en);
const requiredEnglish = inWords("reason", {
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
	card_expiring: {
		title: "The card {{ brand }} •••• {{ last4 }} expires",
		lead: [
			hello,
			"The card that pays the bills of {{ tenant_name }} expires soon. Choose another card before, so that the plan continues.",
		],
		facts: [
			["Card", "{{ brand }} •••• {{ last4 }}"],
			["Last day", "{{ date | date }}"],
		],
		button: "Choose a card",
		short:
			"The card {{ brand }} •••• {{ last4 }}, which pays the bills of {{ tenant_name }}, expires on {{ date | date }}.",
	},
	standing_order_outdated: {
		title: "Replace the standing order: {{ new_amount }}",
		lead: [
			hello,
			"The plan of {{ tenant_name }} has another price or interval now, and the standing order that pays its bills does not cover it. Save the standing order again, so that the phone is asked to consent.",
		],
		facts: [
			["Standing order", "{{ amount }}"],
			["New amount", "{{ new_amount }}"],
		],
		button: "Replace the standing order",
		short:
			"The standing order that pays the bills of {{ tenant_name }} pays {{ amount }}. The plan now requires {{ new_amount }}: save the standing order again, so that the phone is asked to consent.",
	},
} satisfies Record<string, Texts>;

const failedSwahili = inWords("reason", paymentFailed.sw);
const requiredSwahili = inWords("reason", {
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
	card_expiring: {
		title: "Muda wa kadi {{ brand }} •••• {{ last4 }} unaisha",
		lead: [
			jambo,
			"Muda wa kadi inayolipia bili za {{ tenant_name }} unaisha hivi karibuni. Chagueni kadi nyingine kabla ya hapo ili mpango uendelee.",
		],
		facts: [
			["Kadi", "{{ brand }} •••• {{ last4 }}"],
			["Siku ya mwisho", "{{ date | date }}"],
		],
		button: "Chagua kadi",
		short:
			"Muda wa kadi {{ brand }} •••• {{ last4 }}, inayolipia bili za {{ tenant_name }}, unaisha tarehe {{ date | date }}.",
	},
	standing_order_outdated: {
		title: "Badilisheni malipo ya kujirudia: {{ new_amount }}",
		lead: [
			jambo,
			"Bei au kipindi cha mpango wa {{ tenant_name }} kimebadilika, na malipo ya kujirudia yanayolipia bili zake hayatoshelezi. Hifadhini tena malipo ya kujirudia, ili simu iombwe kukubali.",
		],
		facts: [
			["Malipo ya kujirudia", "{{ amount }}"],
			["Kiasi kipya", "{{ new_amount }}"],
		],
		button: "Badilisha malipo ya kujirudia",
		short:
			"Malipo ya kujirudia yanayolipia bili za {{ tenant_name }} ni {{ amount }}. Sasa mpango unahitaji {{ new_amount }}: hifadhini tena malipo ya kujirudia, ili simu iombwe kukubali.",
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
	composeTemplate({
		path: "payment/card_expiring",
		category,
		variables: variables("name tenant_name brand last4 date:date action_link:link"),
		samples: {
			...person,
			...{ tenant_name: "Uhai Hospital", brand: "Visa", last4: "4081", date: "2026-12-31" },
			action_link: "https://console.example.com/uhai/bills",
		},
		channels,
		texts: { en: english.card_expiring, sw: swahili.card_expiring },
	}),
	composeTemplate({
		path: "payment/standing_order_outdated",
		category,
		variables: variables("name tenant_name amount new_amount action_link:link"),
		samples: {
			...person,
			...{ tenant_name: "Uhai Hospital", amount: "KES 2,500", new_amount: "KES 3,000" },
			action_link: "https://console.example.com/uhai/bills",
		},
		channels,
		texts: { en: english.standing_order_outdated, sw: swahili.standing_order_outdated },
	}),
];
