import { createTexts, type Language } from "@lango/interface";

const english = {
	title: "Where do you work today?",
	lead: (tenant: string) => `Choose an outlet of ${tenant}. What you see and do is about it.`,
	all: "Every outlet together",
	last: "Chosen last",
	choosing: "One moment…",
	none: "There is no outlet to choose.",
	noneAdvice: "Ask an administrator of your organisation to open one.",
	refused: { outlet_forbidden: "You may not work at this outlet. Choose another." },
};

type Texts = typeof english;

const swahili: Texts = {
	title: "Unafanya kazi wapi leo?",
	lead: (tenant) => `Chagua tawi la ${tenant}. Utaona na kufanya vitu vyake.`,
	all: "Matawi yote pamoja",
	last: "Ulilochagua mwisho",
	choosing: "Subiri kidogo…",
	none: "Hakuna tawi la kuchagua.",
	noneAdvice: "Mwombe msimamizi wa shirika lako afungue moja.",
	refused: { outlet_forbidden: "Huruhusiwi kufanya kazi kwenye tawi hili. Chagua lingine." },
};

export const tables: Readonly<Record<Language, Texts>> = { en: english, sw: swahili };
export const useOutletTexts = createTexts(tables);
