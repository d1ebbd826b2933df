import { createTexts } from "@lango/interface";

const english = {
	missing: "Not set.",
	stored: (time: string, last4: string) => `Set ${time}, ends with ${last4}. Leave it empty to keep it.`,
};

const swahili: typeof english = {
	missing: "Haijawekwa.",
	stored: (time, last4) => `Iliwekwa ${time}, inaishia na ${last4}. Iache tupu ili ibaki.`,
};

export const tables = { en: english, sw: swahili };
export const useSecretTexts = createTexts(tables);
