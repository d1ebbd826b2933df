import { createTexts } from "@lango/interface";

const english = {
	search: (what: string) => `Search: ${what}`,
	noneFound: "No results.",
	chosen: (count: number) => `${count} selected`,
	copy: "Copy",
	copied: "Copied",
};

const swahili: typeof english = {
	search: (what) => `Tafuta: ${what}`,
	noneFound: "Hakuna matokeo.",
	chosen: (count) => `${count} vimechaguliwa`,
	copy: "Nakili",
	copied: "Imenakiliwa",
};

export const tables = { en: english, sw: swahili };
export const useFieldTexts = createTexts(tables);
