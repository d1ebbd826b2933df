import { createTexts } from "@lango/interface";

const english = {
	missing: "Not set.",
	stored: (time: string, last4: string) => `Set ${time}, ends with ${last4}. Leave it empty to keep it.`,
	phone: "Phone that pays",
	phoneHint: "A Kenyan mobile number, for example 0712 345 678. Its owner confirms with the PIN.",
	phoneMissing: "Enter the number of the phone that pays.",
	askPhone: "Ask the phone to pay",
	asking: "Asking…",
	prompted: (phone: string) => `${phone} was asked to pay. Confirm there with the PIN.`,
	promptEnds: {
		cancelled: "The payment was cancelled on the phone.",
		expired: "The phone did not answer.",
	},
	promptFailed: "The phone did not pay. Nothing was charged.",
	email: "E-mail address for the receipt",
	emailHint: "You pay on the page of our payment gateway: by card, from a bank or by USSD.",
	emailInvalid: "Enter an e-mail address.",
	payByCard: "Pay by card or bank",
	opening: "Opening…",
	errors: {
		phone_invalid: "This is not a Kenyan mobile number.",
		prompt_live: "This phone is being asked already. Wait two minutes, then try again.",
		prompts_spent: "Too many phones were asked today. Pay by card, or try again tomorrow.",
		amount_not_whole: "This amount cannot be paid by phone. Pay by card.",
		amount_out_of_range: "This amount is too high for a payment by phone.",
		intent_closed: "This payment is paid or closed already.",
		halted: "Payments are stopped for the moment. Try again later.",
		channel_unavailable: "This way to pay is not available. Choose another one.",
		checkout_starting: "The page is being opened already. Try again in a moment.",
		gateway_refused: "The payment gateway refused this. Try another way to pay.",
		gateway_unavailable: "The payment gateway does not answer. Try again in a moment.",
	},
	balance: {
		confirmed: "Confirmed by the gateway",
		confirmedAt: (sum: string, time: string) => `${sum}, ${time}`,
		never: "Never",
		ask: "Ask the gateway for the balance",
		asking: "Asking…",
		awaiting: "The gateway was asked. The answer usually takes a few seconds.",
		answered: "The gateway has confirmed the balance.",
		failed: (code: string) =>
			`The gateway did not read the balance (code ${code}). Check the initiator and its password. This says nothing about your money.`,
		unknown: "The gateway has not answered. The balance is not known. Ask again.",
		errors: {
			channel_unavailable: "There is no paybill or till yet. Enter it in the payment settings.",
			gateway_refused: "The gateway refused the question. Check the initiator and its password.",
			gateway_unavailable: "The gateway does not answer. Try again in a moment.",
		},
	},
};

const swahili: typeof english = {
	missing: "Haijawekwa.",
	stored: (time, last4) => `Iliwekwa ${time}, inaishia na ${last4}. Iache tupu ili ibaki.`,
	phone: "Simu inayolipa",
	phoneHint: "Namba ya simu ya Kenya, kwa mfano 0712 345 678. Mwenye simu anathibitisha kwa PIN.",
	phoneMissing: "Weka namba ya simu inayolipa.",
	askPhone: "Omba simu ilipe",
	asking: "Inaombwa…",
	prompted: (phone) => `${phone} imeombwa kulipa. Thibitisha hapo kwa PIN.`,
	promptEnds: {
		cancelled: "Malipo yamekatishwa kwenye simu.",
		expired: "Simu haikujibu.",
	},
	promptFailed: "Simu haikulipa. Hakuna kilichotozwa.",
	email: "Barua pepe ya kupokea stakabadhi",
	emailHint: "Unalipa kwenye ukurasa wa mfumo wetu wa malipo: kwa kadi, kutoka benki au kwa USSD.",
	emailInvalid: "Weka barua pepe sahihi.",
	payByCard: "Lipa kwa kadi au benki",
	opening: "Unafunguliwa…",
	errors: {
		phone_invalid: "Hii si namba ya simu ya Kenya.",
		prompt_live: "Simu hii inaombwa tayari. Subiri dakika mbili, kisha jaribu tena.",
		prompts_spent: "Simu nyingi mno zimeombwa leo. Lipa kwa kadi, au jaribu tena kesho.",
		amount_not_whole: "Kiasi hiki hakiwezi kulipwa kwa simu. Lipa kwa kadi.",
		amount_out_of_range: "Kiasi hiki ni kikubwa mno kulipwa kwa simu.",
		intent_closed: "Malipo haya yamelipwa au yamefungwa tayari.",
		halted: "Malipo yamesimamishwa kwa sasa. Jaribu tena baadaye.",
		channel_unavailable: "Njia hii ya kulipa haipatikani. Chagua nyingine.",
		checkout_starting: "Ukurasa unafunguliwa tayari. Jaribu tena baada ya muda mfupi.",
		gateway_refused: "Mfumo wa malipo umekataa. Jaribu njia nyingine ya kulipa.",
		gateway_unavailable: "Mfumo wa malipo haujibu. Jaribu tena baada ya muda mfupi.",
	},
	balance: {
		confirmed: "Salio lililothibitishwa na mfumo wa malipo",
		confirmedAt: (sum, time) => `${sum} (${time})`,
		never: "Bado halijathibitishwa",
		ask: "Uliza mfumo wa malipo salio",
		asking: "Unaulizwa…",
		awaiting: "Mfumo wa malipo umeulizwa. Kwa kawaida jibu huchukua sekunde chache.",
		answered: "Mfumo wa malipo umethibitisha salio.",
		failed: (code) =>
			`Mfumo wa malipo haukusoma salio (msimbo ${code}). Angalia mwanzilishi na nenosiri lake. Hii haisemi chochote kuhusu fedha zenu.`,
		unknown: "Mfumo wa malipo haujajibu. Salio halijulikani. Uliza tena.",
		errors: {
			channel_unavailable: "Bado hakuna paybill wala till. Iweke kwenye mipangilio ya malipo.",
			gateway_refused: "Mfumo wa malipo umekataa swali. Angalia mwanzilishi na nenosiri lake.",
			gateway_unavailable: "Mfumo wa malipo haujibu. Jaribu tena baada ya muda mfupi.",
		},
	},
};

export const tables = { en: english, sw: swahili };
/** The texts of the parts that several payment pages use. */
export const usePayingTexts = createTexts(tables);
