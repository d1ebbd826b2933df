import { createTexts } from "@lango/interface";

const english = {
	title: "Waiting for approval",
	text: (tenant: string) => `An administrator of ${tenant} must approve your request.`,
	advice:
		"This page checks every 15 seconds and continues automatically. You can close it and come back later.",
};

const swahili: typeof english = {
	title: "Unasubiri idhini",
	text: (tenant) => `Msimamizi wa ${tenant} anapaswa kuidhinisha ombi lako.`,
	advice:
		"Ukurasa huu huangalia kila sekunde 15 na huendelea wenyewe. Unaweza pia kuufunga na kurudi baadaye.",
};

export const tables = { en: english, sw: swahili };
export const usePendingTexts = createTexts(tables);
