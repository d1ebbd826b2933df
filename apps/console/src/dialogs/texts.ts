import { createTexts } from "@lango/interface";

const english = {
	cancel: "Cancel",
};

const swahili: typeof english = {
	cancel: "Ghairi",
};

export const tables = { en: english, sw: swahili };
export const useDialogTexts = createTexts(tables);
