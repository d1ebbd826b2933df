import { createTexts } from "@lango/interface";

const english = { title: "One moment", text: "Signing you in…" };
const swahili: typeof english = { title: "Subiri kidogo", text: "Unaingia…" };

export const tables = { en: english, sw: swahili };
export const useLoadingTexts = createTexts(tables);
