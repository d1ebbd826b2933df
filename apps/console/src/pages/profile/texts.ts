import { createTexts } from "@lango/interface";

const english = {
	title: "Your profile",
	approved: "Your request was approved. Welcome.",
	name: "Name",
	email: "E-mail address",
	roles: "Roles here",
	edit: "Password and profile",
	editLead: "Change your password or confirm your e-mail address on the sign-in pages.",
	organisations: "Your organisations",
	organisation: "Organisation",
	status: "Status",
	here: "You are here",
	open: "Open",
	openOne: (name: string) => `Open ${name}`,
	openColumn: "Open",
	none: "You are not a member of an organisation.",
};

const swahili: typeof english = {
	title: "Wasifu wako",
	approved: "Ombi lako limeidhinishwa. Karibu.",
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
	openColumn: "Fungua",
	none: "Huna shirika lolote.",
};

export const tables = { en: english, sw: swahili };
export const useProfileTexts = createTexts(tables);
