import { createTexts } from "@lango/interface";

const english = {
	any: "Any",
	removeFilters: "Remove filters",
	noResults: "No results.",
	invalid: "Check what you entered.",
	sortBy: "Sort by",
	usualOrder: "Usual order",
	ascending: (column: string) => `${column}, ascending`,
	descending: (column: string) => `${column}, descending`,
};

const swahili: typeof english = {
	any: "Yoyote",
	removeFilters: "Ondoa vichujio",
	noResults: "Hakuna matokeo.",
	invalid: "Angalia ulichoandika.",
	sortBy: "Panga kwa",
	usualOrder: "Mpangilio wa kawaida",
	ascending: (column) => `${column}, kupanda`,
	descending: (column) => `${column}, kushuka`,
};

export const tables = { en: english, sw: swahili };
export const useListTexts = createTexts(tables);
