import { createTexts } from "@lango/interface";
import { english } from "./texts-english.ts";
import { swahili } from "./texts-swahili.ts";

export const tables = { en: english, sw: swahili };
export const usePayoutTexts = createTexts(tables);
