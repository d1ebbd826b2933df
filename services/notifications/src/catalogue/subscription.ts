import type { TemplateSource } from "../rendering/compile-template.ts";
import { composeTemplate, person, type Texts, variables } from "./compose.ts";
import { inWords, limitNames, paymentFailed } from "./in-words.ts";

/** `subscription/*`: messages to administrators about their tenant's subscription. */

const limitEnglish = inWords("limit_name", limitNames.en);
const reasonEnglish = inWords("reason", paymentFailed.en);

const hello = "Hello {{ name }},";
const subscriptionFacts: NonNullable<Texts["facts"]> = [
	["Organisation", "{{ tenant_name }}"],
	["Plan", "{{ plan }}"],
	["Date", "{{ date | date }}"],
];
const english = {
	trialEnding: {
		title: "The trial of {{ tenant_name }} ends soon",
		lead: [hello, "The trial ends on {{ date | date }}. Choose a plan to keep everything as it is."],
		facts: subscriptionFacts,
		button: "Choose a plan",
		short: "The trial of {{ plan }} ends on {{ date | date }}. Choose a plan to keep everything as it is.",
	},
	expired: {
		title: "The subscription of {{ tenant_name }} has expired",
		lead: [hello, "The subscription expired on {{ date | date }}. Choose a plan to continue."],
		facts: subscriptionFacts,
		button: "Choose a plan",
		short: "The subscription to {{ plan }} expired on {{ date | date }}. Choose a plan to continue.",
	},
	readOnly: {
		title: "{{ tenant_name }} is read-only now",
		lead: [hello, "The days of grace are over. Your data is safe and can be read, but not changed."],
		facts: subscriptionFacts,
		button: "Choose a plan",
		short: "Since {{ date | date }} your data can be read, but not changed. Choose a plan to continue.",
	},
	limit: {
		title: "{{ tenant_name }} has used {{ percent }}% of a limit",
		lead: [hello, `{{ tenant_name }} has used {{ used }} of {{ limit_value }}: ${limitEnglish}.`],
		facts: [
			["Limit", limitEnglish],
			["Used", "{{ used }}"],
			["Allowed", "{{ limit_value }}"],
		],
		button: "View the plan",
		short: `{{ used }} of {{ limit_value }} used: ${limitEnglish}.`,
	},
	overage: {
		title: "A bill of {{ tenant_name }} is unpaid",
		lead: [hello, "The bill for usage over the limits of your plan could not be collected."],
		facts: [
			["Amount", "{{ amount }}"],
			["Date", "{{ date | date }}"],
			["Reason", reasonEnglish],
		],
		button: "Pay the bill",
		short: `The bill of {{ amount }} for usage over the limits of your plan is unpaid: ${reasonEnglish}`,
	},
} satisfies Record<string, Texts>;

const limitSwahili = inWords("limit_name", limitNames.sw);
const reasonSwahili = inWords("reason", paymentFailed.sw);

const jambo = "Habari {{ name }},";
const usajili: NonNullable<Texts["facts"]> = [
	["Shirika", "{{ tenant_name }}"],
	["Mpango", "{{ plan }}"],
	["Tarehe", "{{ date | date }}"],
];
const swahili: Record<keyof typeof english, Texts> = {
	trialEnding: {
		title: "Jaribio la {{ tenant_name }} linakaribia kuisha",
		lead: [jambo, "Jaribio litaisha tarehe {{ date | date }}. Chagueni mpango ili mwendelee kama kawaida."],
		facts: usajili,
		button: "Chagua mpango",
		short:
			"Jaribio la {{ plan }} litaisha tarehe {{ date | date }}. Chagueni mpango ili mwendelee kama kawaida.",
	},
	expired: {
		title: "Usajili wa {{ tenant_name }} umeisha",
		lead: [jambo, "Usajili uliisha tarehe {{ date | date }}. Chagueni mpango ili mwendelee."],
		facts: usajili,
		button: "Chagua mpango",
		short: "Usajili wa {{ plan }} uliisha tarehe {{ date | date }}. Chagueni mpango ili mwendelee.",
	},
	readOnly: {
		title: "{{ tenant_name }} sasa ni ya kusoma tu",
		lead: [
			jambo,
			"Siku za ziada zimekwisha. Data yenu iko salama na inaweza kusomwa, lakini haiwezi kubadilishwa.",
		],
		facts: usajili,
		button: "Chagua mpango",
		short: "Tangu {{ date | date }}, data yenu inaweza kusomwa tu. Chagueni mpango ili mwendelee.",
	},
	limit: {
		title: "{{ tenant_name }} imetumia {{ percent }}% ya kikomo",
		lead: [jambo, `{{ tenant_name }} imetumia {{ used }} kati ya {{ limit_value }}: ${limitSwahili}.`],
		facts: [
			["Kikomo", limitSwahili],
			["Kilichotumika", "{{ used }}"],
			["Kinachoruhusiwa", "{{ limit_value }}"],
		],
		button: "Tazama mpango",
		short: `{{ used }} kati ya {{ limit_value }} imetumika: ${limitSwahili}.`,
	},
	overage: {
		title: "Ankara ya {{ tenant_name }} haijalipwa",
		lead: [jambo, "Malipo ya ankara ya matumizi ya ziada hayakufanikiwa."],
		facts: [
			["Kiasi", "{{ amount }}"],
			["Tarehe", "{{ date | date }}"],
			["Sababu", reasonSwahili],
		],
		button: "Lipa ankara",
		short: `Ankara ya {{ amount }} ya matumizi ya ziada haijalipwa: ${reasonSwahili}`,
	},
};

const channels = ["email", "in_app"] as const;
const tenant = {
	...person,
	tenant_name: "Uhai Hospital",
	date: "2026-11-30T00:00:00Z",
	action_link: "https://console.example.com/uhai/subscribe",
};
const ofPlan = {
	category: "billing" as const,
	variables: variables("name tenant_name plan date:date action_link:link"),
	samples: { ...tenant, plan: "Growth" },
	channels,
};

export const subscriptionTemplates: readonly TemplateSource[] = [
	composeTemplate({
		path: "subscription/trial_ending",
		...ofPlan,
		texts: { en: english.trialEnding, sw: swahili.trialEnding },
	}),
	composeTemplate({
		path: "subscription/expired",
		...ofPlan,
		texts: { en: english.expired, sw: swahili.expired },
	}),
	composeTemplate({
		path: "subscription/read_only",
		...ofPlan,
		texts: { en: english.readOnly, sw: swahili.readOnly },
	}),
	composeTemplate({
		path: "subscription/limit_warning",
		category: "billing",
		variables: variables(
			"name tenant_name limit_name used:number limit_value:number percent:number action_link:link",
		),
		samples: { ...tenant, limit_name: "max_orders_per_day", used: 400, limit_value: 500, percent: 80 },
		channels,
		texts: { en: english.limit, sw: swahili.limit },
	}),
	composeTemplate({
		path: "subscription/overage_unpaid",
		category: "billing",
		variables: variables("name tenant_name amount date:date reason action_link:link"),
		samples: { ...tenant, amount: "KES 1,250", reason: "refused" },
		channels,
		texts: { en: english.overage, sw: swahili.overage },
	}),
];
