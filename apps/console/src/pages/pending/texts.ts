import { createTexts, type Language } from "@lango/interface";

const english = {
	title: "You wait to be let in",
	text: (tenant: string) => `An administrator of ${tenant} has to approve you first.`,
	advice:
		"This page looks every 15 seconds and goes on by itself. You can also close it and come back later.",
};

type Texts = typeof english;

const swahili: Texts = {
	title: "Unasubiri kukubaliwa",
	text: (tenant) => `Msimamizi wa ${tenant} anapaswa kukuidhinisha kwanza.`,
	advice:
		"Ukurasa huu huangalia kila sekunde 15 na huendelea wenyewe. Unaweza pia kuufunga na kurudi baadaye.",
};

export const tables: Readonly<Record<Language, Texts>> = { en: english, sw: swahili };
export const usePendingTexts = createTexts(tables);
