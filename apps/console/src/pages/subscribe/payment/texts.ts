import { createTexts } from "@lango/interface";

const english = {
	asked: (sum: string, plan: string) => `A payment of ${sum} for ${plan} was requested.`,
	waiting: "Waiting for the payment. This usually takes a few seconds. You can leave this page.",
	progress: "Waiting for the payment",
	slow: (day: string) =>
		`The payment is not confirmed yet. It stays open until ${day}. Nothing changes before it is paid, and you cannot be charged twice.`,
	slowRenewal: "The payment is not confirmed yet. You cannot be charged twice.",
	askAgain: "Request again",
	asking: "Requesting…",
	askedAgain: "The payment was requested again.",
	withdraw: {
		label: "Withdraw",
		title: "Withdraw this payment?",
		text: (plan: string) =>
			`${plan} is not paid, and nothing changes. If the payment arrives anyway, it becomes your credit.`,
		busy: "Withdrawing…",
		done: "The payment was withdrawn.",
	},
	paid: (sum: string, plan: string) => `${sum} for ${plan} was paid. Thank you.`,
	covered: (plan: string) => `${plan} was paid from your credit.`,
	refused: (sum: string, plan: string) =>
		`The payment of ${sum} for ${plan} was refused. Nothing has changed.`,
	refusedAdvice: "Check the balance of your payment account, then try again.",
	refusedRenewal: (sum: string, plan: string) =>
		`The payment of ${sum} for ${plan} was refused. It will be retried automatically. You can also pay now.`,
	tryAgain: "Try again",
	payNow: "Pay now",
	unanswered: (sum: string, plan: string) =>
		`The payment of ${sum} for ${plan} timed out. Nothing has changed, and you will not be charged.`,
	withdrawn: (sum: string, plan: string) =>
		`The payment of ${sum} for ${plan} was withdrawn. Nothing has changed.`,
	credited: (sum: string, plan: string) =>
		`The payment of ${sum} for ${plan} arrived too late. It was added to your credit.`,
	reason: (reason: string) => `Reason: ${reason}`,
	dismiss: "Dismiss",
};

const swahili: typeof english = {
	asked: (sum, plan) => `${sum} kwa ajili ya ${plan} imeombwa.`,
	waiting: "Tunasubiri ilipwe. Kwa kawaida huchukua sekunde chache; unaweza kuendelea na mengine.",
	progress: "Tunasubiri malipo",
	slow: (day) =>
		`Bado hakuna jibu. Yatasubiriwa hadi ${day}; hakuna kinachobadilika kabla ya malipo, na hakuna kinacholipwa mara mbili.`,
	slowRenewal: "Bado hakuna jibu. Hakuna kinacholipwa mara mbili.",
	askAgain: "Omba tena",
	asking: "Inaombwa…",
	askedAgain: "Malipo yameombwa tena.",
	withdraw: {
		label: "Ondoa",
		title: "Malipo haya yaondolewe?",
		text: (plan) =>
			`${plan} haulipiwi, na yote yanabaki yalivyo. Kitakacholipwa hata hivyo kitakuwa salio lenu.`,
		busy: "Yanaondolewa…",
		done: "Malipo yameondolewa.",
	},
	paid: (sum, plan) => `${sum} kwa ajili ya ${plan} imelipwa. Asante.`,
	covered: (plan) => `Salio lenu limetosha kwa ${plan}. Hakuna cha kulipa.`,
	refused: (sum, plan) => `Malipo ya ${sum} kwa ajili ya ${plan} yamekataliwa. Hakuna kilichobadilika.`,
	refusedAdvice: "Angalia kama kuna fedha za kutosha unakolipia, kisha jaribu tena.",
	refusedRenewal: (sum, plan) =>
		`Malipo ya ${sum} kwa ajili ya ${plan} yamekataliwa. Yatajaribiwa tena yenyewe; mnaweza pia kulipa sasa.`,
	tryAgain: "Jaribu tena",
	payNow: "Lipa sasa",
	unanswered: (sum, plan) =>
		`Hakuna aliyejibu malipo ya ${sum} kwa ajili ya ${plan} kwa wakati. Hakuna kilichobadilika, wala kitakacholipwa tena.`,
	withdrawn: (sum, plan) => `Malipo ya ${sum} kwa ajili ya ${plan} yaliondolewa. Hakuna kilichobadilika.`,
	credited: (sum, plan) => `${sum} kwa ajili ya ${plan} ilifika ikiwa imechelewa. Imewekwa kama salio lenu.`,
	reason: (reason) => `Sababu: ${reason}`,
	dismiss: "Ondoa taarifa",
};

export const tables = { en: english, sw: swahili };
export const usePaymentTexts = createTexts(tables);
