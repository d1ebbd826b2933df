import type { TemplateSource } from "../rendering/compile-template.ts";
import { composeTemplate, person, type Texts, variables } from "./compose.ts";
import { inWords } from "./in-words.ts";

/**
 * `shared/*`: messages that any service can send. Words of the rules of the platform are written in the
 * language of the message.
 */

const alertTitle = {
	en: inWords("alert_title", {
		daily_limit_reached: "A daily limit is reached",
		provider_degraded: "A provider of messages fails or is slow",
		reputation_warned: "Too many e-mails bounce or are reported as spam",
		reputation_paused: "E-mail that is not urgent is paused",
	}),
	sw: inWords("alert_title", {
		daily_limit_reached: "Kikomo cha siku kimefikiwa",
		provider_degraded: "Mtoa huduma wa ujumbe ana hitilafu au ni wa polepole",
		reputation_warned: "Barua pepe nyingi mno zinarudi au zinaripotiwa kuwa taka",
		reputation_paused: "Barua pepe zisizo za dharura zimesitishwa",
	}),
};
const alertMessage = {
	en: inWords("alert_message", {
		max_emails_per_day: "Your organisation has sent all e-mails that your plan permits today.",
		max_new_recipients_per_day:
			"Your organisation has written to all new recipients that a trial permits today.",
	}),
	sw: inWords("alert_message", {
		max_emails_per_day: "Shirika lenu limetuma barua pepe zote ambazo mpango wenu unaruhusu leo.",
		max_new_recipients_per_day:
			"Shirika lenu limewaandikia wapokeaji wapya wote ambao jaribio linaruhusu leo.",
	}),
};
const severity = {
	en: inWords("severity", { info: "Information", warning: "Warning", critical: "Critical" }),
	sw: inWords("severity", { info: "Taarifa", warning: "Onyo", critical: "Hatari" }),
};
const itemType = {
	en: inWords("item_type", { membership: "Membership" }),
	sw: inWords("item_type", { membership: "Uanachama" }),
};

const hello = "Hello {{ name }},";
const english = {
	generic: {
		title: "{{ title }}",
		lead: [hello, "{{ message }}"],
		button: "Open",
		short: "{{ message }}",
	},
	alert: {
		title: `${severity.en}: ${alertTitle.en}`,
		lead: [hello, alertMessage.en],
		facts: [
			["Alert", alertTitle.en],
			["Severity", severity.en],
		],
		button: "View the alert",
		short: alertMessage.en,
	},
	approval: {
		title: `Approval required: ${itemType.en}`,
		lead: [hello, "{{ requester }} asks for your approval."],
		facts: [
			["Type", itemType.en],
			["Reference", "{{ item_id }}"],
			["Requested by", "{{ requester }}"],
		],
		button: "Review the request",
		short: `{{ requester }} asks you to approve ${itemType.en} {{ item_id }}.`,
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
		title: `${severity.sw}: ${alertTitle.sw}`,
		lead: [jambo, alertMessage.sw],
		facts: [
			["Tahadhari", alertTitle.sw],
			["Kiwango", severity.sw],
		],
		button: "Tazama tahadhari",
		short: alertMessage.sw,
	},
	approval: {
		title: `Idhini inahitajika: ${itemType.sw}`,
		lead: [jambo, "{{ requester }} anaomba idhini yako."],
		facts: [
			["Aina", itemType.sw],
			["Kumbukumbu", "{{ item_id }}"],
			["Aliyeomba", "{{ requester }}"],
		],
		button: "Pitia ombi",
		short: `{{ requester }} anaomba uidhinishe ${itemType.sw} {{ item_id }}.`,
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
