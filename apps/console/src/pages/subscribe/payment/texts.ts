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
	reasons: { refused_by_sandbox: "refused by the sandbox, as configured" },
	dismiss: "Dismiss",
	phone: "Phone that pays",
	phoneHint: "A Kenyan mobile number, for example 0712 345 678. Its owner confirms with the PIN.",
	phoneMissing: "Enter the number of the phone that pays.",
	askPhone: "Ask the phone to pay",
	prompted: (phone: string) => `${phone} was asked to pay. Confirm there with the PIN.`,
	promptEnds: {
		cancelled: "The payment was cancelled on the phone.",
		expired: "The phone did not answer.",
	},
	promptFailed: "The phone did not pay. Nothing was charged.",
	phoneErrors: {
		phone_invalid: "This is not a Kenyan mobile number.",
		prompt_live: "This phone is being asked already. Wait two minutes, then try again.",
		halted: "Payments are stopped for the moment. Try again later.",
		channel_unavailable: "Payments by phone are not set up yet.",
	},
	email: "E-mail address for the receipt",
	emailHint: "You pay on the page of our payment gateway: by card, from a bank or by USSD.",
	emailInvalid: "Enter an e-mail address.",
	payByCard: "Pay by card or bank",
	opening: "Opening…",
	cardErrors: {
		intent_closed: "This payment is paid or closed already.",
		halted: "Payments are stopped for the moment. Try again later.",
		channel_unavailable: "Payments by card are not set up yet.",
		checkout_starting: "The page is being opened already. Try again in a moment.",
		gateway_refused: "The payment gateway refused this. Try another way to pay.",
		gateway_unavailable: "The payment gateway does not answer. Try again in a moment.",
	},
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
	reason: (reason) => `Hazina inasema: ${reason}`,
	reasons: { refused_by_sandbox: "yamekataliwa na mfumo wa majaribio, kama ulivyoagizwa" },
	dismiss: "Ondoa taarifa",
	phone: "Simu inayolipa",
	phoneHint: "Namba ya simu ya Kenya, kwa mfano 0712 345 678. Mwenye simu anathibitisha kwa PIN.",
	phoneMissing: "Weka namba ya simu inayolipa.",
	askPhone: "Omba simu ilipe",
	prompted: (phone) => `${phone} imeombwa kulipa. Thibitisha hapo kwa PIN.`,
	promptEnds: {
		cancelled: "Malipo yamekatishwa kwenye simu.",
		expired: "Simu haikujibu.",
	},
	promptFailed: "Simu haikulipa. Hakuna kilichotozwa.",
	phoneErrors: {
		phone_invalid: "Hii si namba ya simu ya Kenya.",
		prompt_live: "Simu hii inaombwa tayari. Subiri dakika mbili, kisha jaribu tena.",
		halted: "Malipo yamesimamishwa kwa sasa. Jaribu tena baadaye.",
		channel_unavailable: "Malipo kwa simu bado hayajawekwa.",
	},
	email: "Barua pepe ya kupokea stakabadhi",
	emailHint: "Unalipa kwenye ukurasa wa mfumo wetu wa malipo: kwa kadi, kutoka benki au kwa USSD.",
	emailInvalid: "Weka barua pepe sahihi.",
	payByCard: "Lipa kwa kadi au benki",
	opening: "Unafunguliwa…",
	cardErrors: {
		intent_closed: "Malipo haya yamelipwa au yamefungwa tayari.",
		halted: "Malipo yamesimamishwa kwa sasa. Jaribu tena baadaye.",
		channel_unavailable: "Malipo kwa kadi bado hayajawekwa.",
		checkout_starting: "Ukurasa unafunguliwa tayari. Jaribu tena baada ya muda mfupi.",
		gateway_refused: "Mfumo wa malipo umekataa. Jaribu njia nyingine ya kulipa.",
		gateway_unavailable: "Mfumo wa malipo haujibu. Jaribu tena baada ya muda mfupi.",
	},
};

export const tables = { en: english, sw: swahili };
export const usePaymentTexts = createTexts(tables);
