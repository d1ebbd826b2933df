import { createTexts } from "@lango/interface";

const english = {
	title: "Where do you work today?",
	lead: (tenant: string) => `Choose an outlet of ${tenant}. You will see its data.`,
	all: "All outlets",
	last: "Last used",
	choosing: "One moment…",
	none: "No outlets are available.",
	noneAdvice: "Ask an administrator of your organisation to open an outlet.",
	errors: { outlet_forbidden: "You don’t have access to this outlet. Choose another one." },
};

const swahili: typeof english = {
	title: "Unafanya kazi wapi leo?",
	lead: (tenant) => `Chagua tawi la ${tenant}. Utaona na kufanya vitu vyake.`,
	all: "Matawi yote",
	last: "Ulilochagua mwisho",
	choosing: "Subiri kidogo…",
	none: "Hakuna tawi la kuchagua.",
	noneAdvice: "Mwombe msimamizi wa shirika lako afungue moja.",
	errors: { outlet_forbidden: "Huruhusiwi kufanya kazi kwenye tawi hili. Chagua lingine." },
};

export const tables = { en: english, sw: swahili };
export const useSelectOutletTexts = createTexts(tables);
