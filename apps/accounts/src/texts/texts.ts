import { createTexts, type Language } from "@lango/interface";
import { english, type Texts } from "./english.ts";
import { swahili } from "./swahili.ts";

/** The words of every language the pages speak. */
export const tables: Readonly<Record<Language, Texts>> = { en: english, sw: swahili };

/** The words in the language of the page. */
export const useTexts = createTexts(tables);
