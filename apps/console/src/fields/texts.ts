import { createTexts, type Language } from "@lango/interface";

const english = {
	search: (what: string) => `Search: ${what}`,
	noneFound: "Nothing is called that.",
	chosen: (count: number) => `${count} chosen`,
	copy: "Copy",
	copied: "Copied",
};

type Texts = typeof english;

const swahili: Texts = {
	search: (what) => `Tafuta: ${what}`,
	noneFound: "Hakuna chenye jina hilo.",
	chosen: (count) => `${count} vimechaguliwa`,
	copy: "Nakili",
	copied: "Imenakiliwa",
};

export const tables: Readonly<Record<Language, Texts>> = { en: english, sw: swahili };
export const useFieldTexts = createTexts(tables);
