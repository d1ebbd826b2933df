import type { TemplateSource } from "../rendering/compile-template.ts";
import { composeTemplate, person, type Texts, variables } from "./compose.ts";

/** `shared/*`: messages that any service can send. */

const hello = "Hello {{ name }},";
const english = {
	generic: {
		title: "{{ title }}",
		lead: [hello, "{{ message }}"],
		button: "Open",
		short: "{{ message }}",
	},
	alert: {
		title: "{{ severity | capitalize }}: {{ alert_title }}",
		lead: [hello, "{{ alert_message }}"],
		facts: [
			["Alert", "{{ alert_title }}"],
			["Severity", "{{ severity }}"],
		],
		button: "View the alert",
		short: "{{ alert_message }}",
	},
	approval: {
		title: "Approval required: {{ item_type }}",
		lead: [hello, "{{ requester }} asks for your approval."],
		facts: [
			["Type", "{{ item_type }}"],
			["Reference", "{{ item_id }}"],
			["Requested by", "{{ requester }}"],
		],
		button: "Review the request",
		short: "{{ requester }} asks you to approve {{ item_type }} {{ item_id }}.",
	},
} satisfies Record<string, Texts>;

const jambo = "Habari {{ name }},";
const swahili: Record<keyof typeof english, Texts> = {
	generic: {
		title: "{{ title }}",
		lead: [jambo, "{{ message }}"],
		button: "Fungua",
		short: "{{ message }}",
	},
	alert: {
		title: "{{ severity | capitalize }}: {{ alert_title }}",
		lead: [jambo, "{{ alert_message }}"],
		facts: [
			["Tahadhari", "{{ alert_title }}"],
			["Kiwango", "{{ severity }}"],
		],
		button: "Tazama tahadhari",
		short: "{{ alert_message }}",
	},
	approval: {
		title: "Idhini inahitajika: {{ item_type }}",
		lead: [jambo, "{{ requester }} anaomba idhini yako."],
		facts: [
			["Aina", "{{ item_type }}"],
			["Kumbukumbu", "{{ item_id }}"],
			["Aliyeomba", "{{ requester }}"],
		],
		button: "Pitia ombi",
		short: "{{ requester }} anaomba uidhinishe {{ item_type }} {{ item_id }}.",
	},
};

const channels = ["email", "sms", "whatsapp", "push", "in_app"] as const;
const link = "https://console.example.com/uhai/notices/1842";

export const generalTemplates: readonly TemplateSource[] = [
	composeTemplate({
		path: "shared/generic_notification",
		category: "general",
		variables: variables("name title message action_link:link"),
		samples: {
			...person,
			title: "The clinic is closed on Friday",
			message: "The outpatient clinic is closed on Friday, 11 December. Emergencies are treated as usual.",
			action_link: link,
		},
		channels,
		texts: { en: english.generic, sw: swahili.generic },
	}),
	composeTemplate({
		path: "shared/system_alert",
		category: "operations",
		variables: variables("name alert_title alert_message severity action_link:link"),
		samples: {
			...person,
			alert_title: "Scale 2 does not respond",
			alert_message: "Scale 2 at Mombasa Road has sent no weights for 15 minutes.",
			severity: "warning",
			action_link: link,
		},
		channels,
		texts: { en: english.alert, sw: swahili.alert },
	}),
	composeTemplate({
		path: "shared/approval_required",
		category: "approvals",
		variables: variables("name item_type item_id requester action_link:link"),
		samples: {
			...person,
			item_type: "Purchase order",
			item_id: "PO-2291",
			requester: "Joseph Mwangi",
			action_link: link,
		},
		channels,
		texts: { en: english.approval, sw: swahili.approval },
	}),
];
