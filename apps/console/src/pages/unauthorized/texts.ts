import { createTexts } from "@lango/interface";

const english = {
	title: "You don’t have access",
	text: "Your role does not allow you to open this page.",
	advice: (email: string) => `An administrator can give ${email} the required role.`,
	adviceToAnybody: "An administrator of your organisation can give you the required role.",
	home: "Go to the overview",
	product: {
		title: "Your plan does not include this",
		text: (product: string) => `${product} is not part of your organisation’s plan.`,
		plans: "View plans",
		plansOne: (product: string) => `View plans: ${product}`,
	},
};

const swahili: typeof english = {
	title: "Huna ruhusa",
	text: "Wadhifa wako hauruhusu.",
	advice: (email) => `Msimamizi anaweza kumpa ${email} wadhifa unaohitajika.`,
	adviceToAnybody: "Msimamizi wa shirika lako anaweza kukupa wadhifa unaohitajika.",
	home: "Nenda kwenye muhtasari",
	product: {
		title: "Mpango wenu hauna bidhaa hii",
		text: (product) => `${product} si sehemu ya mpango wa shirika lako.`,
		plans: "Tazama mipango",
		plansOne: (product) => `Tazama mipango: ${product}`,
	},
};

export const tables = { en: english, sw: swahili };
export const useUnauthorizedTexts = createTexts(tables);
