import { createTexts, type Language } from "@lango/interface";

const english = {
	title: "Plans",
	lead: "What there is to choose from, and what each plan holds.",
	price: (price: string, interval: "month" | "year") =>
		interval === "month" ? `${price} a month` : `${price} a year`,
	trial: (days: number) => `${days} days free`,
	yours: "Your plan",
	none: "There is no plan on offer.",
	limits: "Limits",
	features: "Features",
	expired:
		"Your subscription has expired. What is there can be read; nothing can be changed until it is renewed.",
	missing: "Your organisation has no plan yet.",
	goOn: "Go on reading",
};

type Texts = typeof english;

const swahili: Texts = {
	title: "Mipango",
	lead: "Mipango ya kuchagua, na kilichomo katika kila mmoja.",
	price: (price, interval) => (interval === "month" ? `${price} kwa mwezi` : `${price} kwa mwaka`),
	trial: (days) => `Siku ${days} bure`,
	yours: "Mpango wenu",
	none: "Hakuna mpango wa kuchagua.",
	limits: "Vikomo",
	features: "Huduma zilizomo",
	expired:
		"Muda wa mpango wenu umekwisha. Kilichopo kinasomeka; hakuna kinachoweza kubadilishwa hadi ulipiwe.",
	missing: "Shirika lako bado halina mpango.",
	goOn: "Endelea kusoma",
};

export const tables: Readonly<Record<Language, Texts>> = { en: english, sw: swahili };
export const useSubscribeTexts = createTexts(tables);
