import { createTexts, type Language } from "@lango/interface";
import { english, type Texts } from "./english.ts";
import { swahili } from "./swahili.ts";

/** The texts in all languages. */
export const tables: Readonly<Record<Language, Texts>> = { en: english, sw: swahili };

/** The texts in the language of the page. */
export const useTexts = createTexts(tables);
