import { createTexts, type Language } from "@lango/interface";

const english = {
	search: (what: string) => `Search: ${what}`,
	noneFound: "No matches.",
	chosen: (count: number) => `${count} selected`,
	copy: "Copy",
	copied: "Copied",
};

type Texts = typeof english;

const swahili: Texts = {
	search: (what) => `Tafuta: ${what}`,
	noneFound: "Hakuna kilichopatikana.",
	chosen: (count) => `${count} vimechaguliwa`,
	copy: "Nakili",
	copied: "Imenakiliwa",
};

export const tables: Readonly<Record<Language, Texts>> = { en: english, sw: swahili };
export const useFieldTexts = createTexts(tables);
