import { createTexts, type Language } from "@lango/interface";

const english = {
	asked: (sum: string, plan: string) => `${sum} for ${plan} has been asked for.`,
	waiting:
		"We wait for it to be paid. That takes a few seconds as a rule; you can go on with something else.",
	progress: "Waiting for the payment",
	slow: (day: string) =>
		`There is no answer yet. It is waited for until ${day}; nothing changes before it is paid, and nothing is paid twice.`,
	slowRenewal: "There is no answer yet. Nothing is paid twice.",
	askAgain: "Ask again",
	asking: "Asking…",
	askedAgain: "The payment has been asked for again.",
	withdraw: "Withdraw",
	withdrawTitle: "Withdraw this payment?",
	withdrawText: (plan: string) =>
		`${plan} is not paid for, and everything stays as it is. What is paid all the same is kept as your credit.`,
	withdrawing: "Withdrawing…",
	withdrawnDone: "The payment is withdrawn.",
	paid: (sum: string, plan: string) => `${sum} for ${plan} is paid. Thank you.`,
	covered: (plan: string) => `Your credit covered ${plan}. There is nothing to pay.`,
	refused: (sum: string, plan: string) =>
		`The payment of ${sum} for ${plan} was refused. Nothing was changed.`,
	refusedAdvice: "Look whether there is enough money where you pay from, then try again.",
	refusedRenewal: (sum: string, plan: string) =>
		`The payment of ${sum} for ${plan} was refused. It is tried again by itself; you can also pay now.`,
	tryAgain: "Try again",
	payNow: "Pay now",
	unanswered: (sum: string, plan: string) =>
		`Nobody answered the payment of ${sum} for ${plan} in time. Nothing was changed, and nothing is paid any more.`,
	withdrawn: (sum: string, plan: string) =>
		`The payment of ${sum} for ${plan} was withdrawn. Nothing was changed.`,
	credited: (sum: string, plan: string) =>
		`${sum} for ${plan} came when it could no longer be done. It is kept as your credit.`,
	reason: (reason: string) => `The treasury says: ${reason}`,
	reasons: { refused_by_sandbox: "refused by the sandbox, as it was told to" },
	dismiss: "Dismiss",
};

type Texts = typeof english;

const swahili: Texts = {
	asked: (sum, plan) => `${sum} kwa ajili ya ${plan} imeombwa.`,
	waiting: "Tunasubiri ilipwe. Kwa kawaida huchukua sekunde chache; unaweza kuendelea na mengine.",
	progress: "Tunasubiri malipo",
	slow: (day) =>
		`Bado hakuna jibu. Yatasubiriwa hadi ${day}; hakuna kinachobadilika kabla ya malipo, na hakuna kinacholipwa mara mbili.`,
	slowRenewal: "Bado hakuna jibu. Hakuna kinacholipwa mara mbili.",
	askAgain: "Omba tena",
	asking: "Inaombwa…",
	askedAgain: "Malipo yameombwa tena.",
	withdraw: "Ondoa",
	withdrawTitle: "Malipo haya yaondolewe?",
	withdrawText: (plan) =>
		`${plan} haulipiwi, na yote yanabaki yalivyo. Kitakacholipwa hata hivyo kitakuwa salio lenu.`,
	withdrawing: "Yanaondolewa…",
	withdrawnDone: "Malipo yameondolewa.",
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
	reason: (reason) => `Hazina inasema: ${reason}`,
	reasons: { refused_by_sandbox: "yamekataliwa na mfumo wa majaribio, kama ulivyoagizwa" },
	dismiss: "Ondoa taarifa",
};

export const tables: Readonly<Record<Language, Texts>> = { en: english, sw: swahili };
export const usePaymentTexts = createTexts(tables);
