import { createTexts, type Language } from "@lango/interface";

const english = {
	title: "Your profile",
	approved: "You have been let in. Welcome.",
	name: "Name",
	email: "E-mail address",
	roles: "Roles here",
	edit: "Password and profile",
	editLead: "Your password and the proof of your address are with the sign-in pages.",
	organisations: "Your organisations",
	organisation: "Organisation",
	status: "Status",
	here: "You are here",
	open: "Open",
	openOne: (name: string) => `Open ${name}`,
	deed: "Open it",
	none: "You belong to no organisation.",
};

type Texts = typeof english;

const swahili: Texts = {
	title: "Wasifu wako",
	approved: "Umekubaliwa. Karibu.",
	name: "Jina",
	email: "Barua pepe",
	roles: "Nyadhifa zako hapa",
	edit: "Nenosiri na wasifu",
	editLead: "Nenosiri lako na uthibitisho wa anwani viko kwenye kurasa za kuingia.",
	organisations: "Mashirika yako",
	organisation: "Shirika",
	status: "Hali",
	here: "Uko hapa",
	open: "Fungua",
	openOne: (name) => `Fungua ${name}`,
	deed: "Lifungue",
	none: "Huna shirika lolote.",
};

export const tables: Readonly<Record<Language, Texts>> = { en: english, sw: swahili };
export const useProfileTexts = createTexts(tables);
