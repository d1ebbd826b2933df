import type { TemplateSource } from "../rendering/compile-template.ts";
import { composeTemplate, person, type Texts, variables } from "./compose.ts";

/** `cafe/*`: what visitors of a café's site write to it. `name` and `email` are the visitor's. */

const english = {
	contact: {
		title: "Message from {{ name }}",
		lead: ["Hello,", "{{ name }} wrote to you by the contact form:", "{{ message }}"],
		facts: [
			["Name", "{{ name }}"],
			["E-mail", "{{ email }}"],
			["Sent", "{{ submitted_at }}"],
		],
		short: "{{ message | truncate: 200 }}",
	},
} satisfies Record<string, Texts>;

const swahili: Record<keyof typeof english, Texts> = {
	contact: {
		title: "Ujumbe kutoka kwa {{ name }}",
		lead: ["Habari,", "{{ name }} amekuandikia kupitia fomu ya mawasiliano:", "{{ message }}"],
		facts: [
			["Jina", "{{ name }}"],
			["Barua pepe", "{{ email }}"],
			["Ilitumwa", "{{ submitted_at }}"],
		],
		short: "{{ message | truncate: 200 }}",
	},
};

export const cafeTemplates: readonly TemplateSource[] = [
	composeTemplate({
		path: "cafe/cafe_contact_form",
		category: "contact",
		variables: variables("name email message submitted_at:date"),
		samples: {
			...person,
			email: "amina@example.com",
			message: "Do you have a table for eight people on Saturday evening?\nWe would come at seven.",
			submitted_at: "2026-11-23T08:40:00Z",
		},
		channels: ["email", "in_app"],
		texts: { en: english.contact, sw: swahili.contact },
	}),
];
