import { createTexts } from "@lango/interface";

const english = {
	loading: "Loading…",
	tryAgain: "Try again",
	checkAgain: "Check again",
	unknown: {
		title: "This payment link is not valid",
		text: "Check that the address is complete, or ask the sender for a new link.",
	},
	unavailable: { title: "The page cannot be loaded", text: "Check your connection, then try again." },
	pay: (amount: string) => `Pay ${amount}`,
	to: (payee: string, description: string) => `To ${payee}: ${description}`,
	partly: (whole: string) => `Part of ${whole} is paid already.`,
	how: "How do you want to pay?",
	byPhone: "Mobile money on your phone",
	byPhoneDetail: "You confirm on your phone with your PIN.",
	byCard: "Card, bank or USSD",
	byCardDetail: "On the payment gateway’s secure page.",
	// One line on a phone: its owner is the payer, who reads the rest above.
	phoneHint: "A Kenyan number, for example 0712 345 678.",
	notNow: "Payments are not possible at the moment. Try again later.",
	email: "Your e-mail address",
	emailHint: "The payment gateway sends the receipt to it.",
	emailInvalid: "Enter your e-mail address, for example amina@example.com.",
	goOn: "Continue to the payment page",
	opening: "Opening…",
	paybill: (shortcode: string, account: string) =>
		`Or pay at paybill ${shortcode} with the account number ${account}.`,
	paybillInParts: (shortcode: string, account: string) =>
		`Or pay it in several parts at paybill ${shortcode} with the account number ${account}.`,
	onPhone: {
		open: "Pay on your phone instead",
		lead: "Scan the code with your phone. It opens this page there.",
		alt: "QR code of this page",
	},
	noPrompt: {
		amount_not_whole:
			"Your phone cannot get a request for this amount, because mobile money takes whole shillings only.",
		amount_out_of_range:
			"Your phone cannot get a request for this amount, because it is more than mobile money takes in one payment.",
	},
	prompted: (phone: string) => `${phone} was asked to pay.`,
	waiting: "Confirm there with your PIN. This page shows when it is paid.",
	progress: "Waiting for the payment",
	expired: "The last try was not completed in time. You can try again.",
	failed: (reason: string) => `${reason} Nothing was charged. You can try again.`,
	stillPaying: "A payment was begun before the time was over. This page shows how it ends.",
	paidAnyway: (payee: string) =>
		`If you have paid already, do not pay again: ${payee} receives it. It can take some minutes until it is shown here.`,
	over: {
		succeeded: { title: "Paid. Thank you.", text: (payee: string) => `${payee} has received the payment.` },
		expired: {
			title: "This payment request has expired",
			text: (payee: string) =>
				`The time to pay it is over, and it cannot be paid here any more. Ask ${payee} for a new one.`,
		},
		partly: {
			title: "This payment request has expired",
			text: (payee: string) =>
				`${payee} has received a part of the amount, and the time to pay the rest is over. Ask ${payee} for a new request for the rest.`,
		},
		cancelled: {
			title: "This payment request was cancelled",
			text: (payee: string) => `There is nothing to pay to ${payee}.`,
		},
	},
	back: (payee: string) => `Return to ${payee}`,
	errors: {
		phone_invalid: "This is not a Kenyan mobile number.",
		invalid_input: "Check what you entered.",
		prompt_too_soon: "A request for this amount was sent to this phone a moment ago.",
		prompt_live: "This phone is being asked already.",
		prompts_spent: "Too many phones were asked today. Pay by card, or try again tomorrow.",
		checkout_starting: "The payment page is being opened already. Try again in a few seconds.",
		intent_closed: "This request is paid, expired or cancelled.",
		amount_not_whole: "This amount cannot be paid by phone. Pay by card.",
		amount_out_of_range: "This amount is too high for a payment by phone.",
		halted: "Payments are stopped for the moment.",
		channel_unavailable: "This way to pay is not available. Choose another one.",
		shortcode_unverified: "Payments by phone are not possible yet. Choose another way to pay.",
		gateway_refused: "The payment gateway refused the request. Try again later.",
		gateway_unavailable: "The payment gateway did not answer.",
		rate_limited: "Too many tries.",
	},
};

const swahili: typeof english = {
	loading: "Inaletwa…",
	tryAgain: "Jaribu tena",
	checkAgain: "Angalia tena",
	unknown: {
		title: "Kiungo hiki cha malipo si sahihi",
		text: "Hakikisha kuwa anwani imekamilika, au omba kiungo kipya kwa aliyekutumia.",
	},
	unavailable: { title: "Ukurasa haujapakiwa", text: "Angalia mtandao wako, kisha jaribu tena." },
	pay: (amount) => `Lipa ${amount}`,
	to: (payee, description) => `Kwa ${payee}: ${description}`,
	partly: (whole) => `Sehemu ya ${whole} imeshalipwa.`,
	how: "Unataka kulipa vipi?",
	byPhone: "Pesa ya simu",
	byPhoneDetail: "Unathibitisha kwenye simu yako kwa PIN.",
	byCard: "Kadi, benki au USSD",
	byCardDetail: "Kwenye ukurasa salama wa malipo.",
	phoneHint: "Namba ya Kenya, kwa mfano 0712 345 678.",
	notNow: "Kwa sasa malipo hayawezekani. Jaribu tena baadaye.",
	email: "Barua pepe yako",
	emailHint: "Mfumo wa malipo hutuma risiti hapo.",
	emailInvalid: "Weka barua pepe yako, kwa mfano amina@example.com.",
	goOn: "Endelea kwenye ukurasa wa malipo",
	opening: "Inafunguliwa…",
	paybill: (shortcode, account) => `Au lipa kwa paybill ${shortcode}, namba ya akaunti ${account}.`,
	paybillInParts: (shortcode, account) =>
		`Au lipa kwa awamu kupitia paybill ${shortcode}, namba ya akaunti ${account}.`,
	onPhone: {
		open: "Lipia kwenye simu yako badala yake",
		lead: "Skani msimbo kwa simu yako. Ukurasa huu utafunguka huko.",
		alt: "Msimbo wa QR wa ukurasa huu",
	},
	noPrompt: {
		amount_not_whole:
			"Simu yako haiwezi kuombwa kiasi hiki, kwa sababu pesa ya simu hupokea shilingi kamili tu.",
		amount_out_of_range:
			"Simu yako haiwezi kuombwa kiasi hiki, kwa sababu kinazidi kinachopokelewa na pesa ya simu kwa malipo moja.",
	},
	prompted: (phone) => `${phone} imeombwa kulipa.`,
	waiting: "Thibitisha hapo kwa PIN yako. Ukurasa huu utaonyesha ikishalipwa.",
	progress: "Tunasubiri malipo",
	expired: "Jaribio la mwisho halikukamilika kwa wakati. Unaweza kujaribu tena.",
	failed: (reason) => `${reason} Hakuna kilichotozwa. Unaweza kujaribu tena.`,
	stillPaying: "Malipo yalianzishwa kabla ya muda kuisha. Ukurasa huu utaonyesha yatakavyoishia.",
	paidAnyway: (payee) =>
		`Ikiwa umeshalipa, usilipe tena: ${payee} itapokea malipo hayo. Huenda ikachukua dakika chache kuonekana hapa.`,
	over: {
		succeeded: { title: "Imelipwa. Asante.", text: (payee) => `${payee} imepokea malipo.` },
		expired: {
			title: "Muda wa ombi hili la malipo umeisha",
			text: (payee) => `Muda wa kulipa umeisha, na halilipiki tena hapa. Omba kiungo kipya kwa ${payee}.`,
		},
		partly: {
			title: "Muda wa ombi hili la malipo umeisha",
			text: (payee) =>
				`${payee} imepokea sehemu ya kiasi, na muda wa kulipa kilichobaki umeisha. Omba kiungo kipya kwa ${payee} ili kulipa kilichobaki.`,
		},
		cancelled: {
			title: "Ombi hili la malipo limeghairiwa",
			text: (payee) => `Hakuna cha kulipa kwa ${payee}.`,
		},
	},
	back: (payee) => `Rudi kwa ${payee}`,
	errors: {
		phone_invalid: "Hii si namba ya simu ya Kenya.",
		invalid_input: "Angalia ulichoandika.",
		prompt_too_soon: "Simu hii imeombwa kiasi hiki muda mfupi uliopita.",
		prompt_live: "Simu hii tayari inaombwa.",
		prompts_spent: "Simu nyingi mno zimeombwa leo. Lipa kwa kadi, au jaribu tena kesho.",
		checkout_starting: "Ukurasa wa malipo tayari unafunguliwa. Jaribu tena baada ya sekunde chache.",
		intent_closed: "Ombi hili limelipwa, muda wake umeisha, au limeghairiwa.",
		amount_not_whole: "Kiasi hiki hakiwezi kulipwa kwa simu. Lipa kwa kadi.",
		amount_out_of_range: "Kiasi hiki ni kikubwa mno kulipwa kwa simu.",
		halted: "Malipo yamesimamishwa kwa muda.",
		channel_unavailable: "Njia hii ya kulipa haipatikani. Chagua nyingine.",
		shortcode_unverified: "Bado huwezi kulipa kwa simu. Chagua njia nyingine ya kulipa.",
		gateway_refused: "Mfumo wa malipo umekataa ombi. Jaribu tena baadaye.",
		gateway_unavailable: "Mfumo wa malipo haukujibu.",
		rate_limited: "Umejaribu mara nyingi mno.",
	},
};

export const tables = { en: english, sw: swahili };
/** The texts of the page of a payer without an account. */
export const usePayTexts = createTexts(tables);
