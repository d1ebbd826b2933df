import { createTexts, type Language } from "@lango/interface";

const english = {
	title: "You may not open this",
	text: "Your role does not allow it.",
	advice: (email: string) => `An administrator can give ${email} the role it takes.`,
	adviceToAnybody: "An administrator of your organisation can give you the role it takes.",
	home: "Go to the overview",
	product: {
		title: "Your plan does not include this",
		text: (product: string) => `${product} is not part of your organisation’s plan.`,
		plans: "See the plans",
		plansOne: (product: string) => `See the plans: ${product}`,
	},
};

type Texts = typeof english;

const swahili: Texts = {
	title: "Huruhusiwi kufungua ukurasa huu",
	text: "Wadhifa wako hauruhusu.",
	advice: (email) => `Msimamizi anaweza kumpa ${email} wadhifa unaohitajika.`,
	adviceToAnybody: "Msimamizi wa shirika lako anaweza kukupa wadhifa unaohitajika.",
	home: "Nenda kwenye muhtasari",
	product: {
		title: "Mpango wenu hauna huduma hii",
		text: (product) => `${product} si sehemu ya mpango wa shirika lako.`,
		plans: "Tazama mipango",
		plansOne: (product) => `Tazama mipango: ${product}`,
	},
};

export const tables: Readonly<Record<Language, Texts>> = { en: english, sw: swahili };
export const useUnauthorizedTexts = createTexts(tables);
