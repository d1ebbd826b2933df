import { createTexts, type Language } from "@lango/interface";

const english = { title: "One moment", text: "You are being let in." };
const swahili: typeof english = { title: "Subiri kidogo", text: "Unaingizwa." };

export const tables: Readonly<Record<Language, typeof english>> = { en: english, sw: swahili };
export const useBridgeTexts = createTexts(tables);
