import type { TemplateSource } from "../rendering/compile-template.ts";
import { composeTemplate, person, type Texts, variables } from "./compose.ts";

/** `weighing/*`: tickets, certificates and releases of a weighbridge. */

const hello = "Hello {{ name }},";
const english = {
	ticket: {
		title: "Weight ticket {{ ticket_number }}",
		lead: [hello, "The weight ticket of {{ vehicle_reg }} is ready."],
		facts: [
			["Ticket", "{{ ticket_number }}"],
			["Vehicle", "{{ vehicle_reg }}"],
			["Gross weight", "{{ gross_weight }}"],
			["Net weight", "{{ net_weight }}"],
			["Compliance", "{{ compliance_status }}"],
		],
		button: "Download the ticket",
		short:
			"Ticket {{ ticket_number }}, {{ vehicle_reg }}: gross {{ gross_weight }}, net {{ net_weight }}, {{ compliance_status }}.",
	},
	certificate: {
		title: "Compliance certificate {{ certificate_number }}",
		lead: [hello, "The compliance certificate of {{ vehicle_reg }} is ready."],
		facts: [
			["Certificate", "{{ certificate_number }}"],
			["Vehicle", "{{ vehicle_reg }}"],
			["Valid until", "{{ expiry_date | date }}"],
		],
		button: "Download the certificate",
		short:
			"Certificate {{ certificate_number }} of {{ vehicle_reg }} is valid until {{ expiry_date | date }}.",
	},
	release: {
		title: "Special release {{ release_number }}",
		lead: [hello, "A special release was issued for {{ vehicle_reg }}."],
		facts: [
			["Release", "{{ release_number }}"],
			["Vehicle", "{{ vehicle_reg }}"],
			["Reason", "{{ reason }}"],
			["Authorised by", "{{ authorized_by }}"],
		],
		button: "View the release",
		short: "Special release {{ release_number }} for {{ vehicle_reg }}, authorised by {{ authorized_by }}.",
	},
} satisfies Record<string, Texts>;

const jambo = "Habari {{ name }},";
const swahili: Record<keyof typeof english, Texts> = {
	ticket: {
		title: "Tiketi ya uzani {{ ticket_number }}",
		lead: [jambo, "Tiketi ya uzani ya gari {{ vehicle_reg }} iko tayari."],
		facts: [
			["Tiketi", "{{ ticket_number }}"],
			["Gari", "{{ vehicle_reg }}"],
			["Uzito wa jumla", "{{ gross_weight }}"],
			["Uzito halisi", "{{ net_weight }}"],
			["Uzingatiaji", "{{ compliance_status }}"],
		],
		button: "Pakua tiketi",
		short:
			"Tiketi {{ ticket_number }}, {{ vehicle_reg }}: jumla {{ gross_weight }}, halisi {{ net_weight }}, {{ compliance_status }}.",
	},
	certificate: {
		title: "Cheti cha uzingatiaji {{ certificate_number }}",
		lead: [jambo, "Cheti cha uzingatiaji cha gari {{ vehicle_reg }} kiko tayari."],
		facts: [
			["Cheti", "{{ certificate_number }}"],
			["Gari", "{{ vehicle_reg }}"],
			["Kinatumika hadi", "{{ expiry_date | date }}"],
		],
		button: "Pakua cheti",
		short:
			"Cheti {{ certificate_number }} cha gari {{ vehicle_reg }} kinatumika hadi {{ expiry_date | date }}.",
	},
	release: {
		title: "Ruhusa maalum {{ release_number }}",
		lead: [jambo, "Gari {{ vehicle_reg }} limepewa ruhusa maalum ya kuondoka."],
		facts: [
			["Ruhusa", "{{ release_number }}"],
			["Gari", "{{ vehicle_reg }}"],
			["Sababu", "{{ reason }}"],
			["Imeidhinishwa na", "{{ authorized_by }}"],
		],
		button: "Tazama ruhusa",
		short:
			"Ruhusa maalum {{ release_number }} ya gari {{ vehicle_reg }} imeidhinishwa na {{ authorized_by }}.",
	},
};

const channels = ["email", "sms", "whatsapp", "push", "in_app"] as const;
const link = "https://weighing.example.com/documents/9f2c41";
const vehicle = { ...person, vehicle_reg: "KDA 482Q" };

export const weighingTemplates: readonly TemplateSource[] = [
	composeTemplate({
		path: "weighing/weight_ticket",
		category: "operations",
		variables: variables(
			"name ticket_number vehicle_reg gross_weight:number net_weight:number compliance_status download_link:link",
		),
		samples: {
			...vehicle,
			ticket_number: "WB-20261123-0148",
			gross_weight: "32,450 kg",
			net_weight: "18,900 kg",
			compliance_status: "compliant",
			download_link: link,
		},
		channels,
		texts: { en: english.ticket, sw: swahili.ticket },
	}),
	composeTemplate({
		path: "weighing/compliance_certificate",
		category: "operations",
		variables: variables("name certificate_number vehicle_reg expiry_date:date download_link:link"),
		samples: { ...vehicle, certificate_number: "CC-77120", expiry_date: "2027-11-23", download_link: link },
		channels,
		texts: { en: english.certificate, sw: swahili.certificate },
	}),
	composeTemplate({
		path: "weighing/special_release",
		category: "operations",
		variables: variables("name release_number vehicle_reg reason authorized_by view_link:link"),
		samples: {
			...vehicle,
			release_number: "SR-0031",
			reason: "Perishable goods",
			authorized_by: "Grace Wanjiru",
			view_link: link,
		},
		channels,
		texts: { en: english.release, sw: swahili.release },
	}),
];
