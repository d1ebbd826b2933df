import { createTexts, type Language } from "@lango/interface";

const english = {
	cancel: "Cancel",
};

type Texts = typeof english;

const swahili: Texts = {
	cancel: "Ghairi",
};

export const tables: Readonly<Record<Language, Texts>> = { en: english, sw: swahili };
export const useDialogTexts = createTexts(tables);
