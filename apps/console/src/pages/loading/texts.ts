import { createTexts, type Language } from "@lango/interface";

const english = { title: "One moment", text: "Signing you in…" };
const swahili: typeof english = { title: "Subiri kidogo", text: "Unaingizwa." };

export const tables: Readonly<Record<Language, typeof english>> = { en: english, sw: swahili };
export const useLoadingTexts = createTexts(tables);
