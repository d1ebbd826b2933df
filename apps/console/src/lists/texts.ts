import { createTexts } from "@lango/interface";

const english = {
	any: "Any",
	removeFilters: "Remove filters",
	invalid: "Check what you entered.",
};

const swahili: typeof english = {
	any: "Yoyote",
	removeFilters: "Ondoa vichujio",
	invalid: "Angalia ulichoandika.",
};

export const tables = { en: english, sw: swahili };
export const useListTexts = createTexts(tables);
