import { createTexts } from "@lango/interface";

const english = {
	title: "Payment pages",
	lead: "Pages where anyone pays you by card, from a bank or by mobile money. Share the link of a page. Each payment appears under Payments.",
	page: "Page",
	link: "Link",
	made: "Created",
	amount: "Amount",
	payerChooses: "The payer chooses it",
	none: "There are no payment pages yet.",
	qr: {
		show: "QR code",
		of: (name: string) => `QR code of ${name}`,
		lead: "Print it, or show it: a phone that scans it opens the page.",
		alt: "QR code of the payment page",
		download: "Download the image",
	},
	statuses: {
		creating: "Not confirmed. Create another page.",
		active: "Active",
		failed: "Refused by the payment gateway",
	},
	make: {
		label: "Create a page",
		lead: "The name and the description are shown to payers.",
		confirm: "Create",
		busy: "Creating…",
		done: "The page is created.",
	},
	name: "Name",
	description: "Description",
	amountIn: (currency: string) => `Amount in ${currency}`,
	amountHint: "Leave it empty if the payer chooses the amount.",
	nameMissing: "Enter a name.",
	descriptionMissing: "Enter a description.",
	amountInvalid: "Enter an amount, for example 1500, or leave it empty.",
	errors: {
		gateway_refused: "The payment gateway does not accept this page.",
		gateway_unavailable: "The payment gateway does not answer.",
		channel_unavailable: "Payments by card are not set up yet.",
	},
};

const swahili: typeof english = {
	title: "Kurasa za malipo",
	lead: "Kurasa ambapo yeyote anaweza kukulipa kwa kadi, kutoka benki au kwa pesa za simu. Mtumie mlipaji kiungo cha ukurasa. Kila malipo huonekana chini ya Malipo.",
	page: "Ukurasa",
	link: "Kiungo",
	made: "Ulitengenezwa",
	amount: "Kiasi",
	payerChooses: "Mlipaji huchagua",
	none: "Bado hakuna kurasa za malipo.",
	qr: {
		show: "Msimbo wa QR",
		of: (name) => `Msimbo wa QR wa ${name}`,
		lead: "Uchapishe, au uonyeshe: simu inayouskani hufungua ukurasa.",
		alt: "Msimbo wa QR wa ukurasa wa malipo",
		download: "Pakua picha",
	},
	statuses: {
		creating: "Haijathibitishwa. Tengeneza ukurasa mwingine.",
		active: "Unatumika",
		failed: "Umekataliwa na mfumo wa malipo",
	},
	make: {
		label: "Tengeneza ukurasa",
		lead: "Jina na maelezo huonyeshwa kwa walipaji.",
		confirm: "Tengeneza",
		busy: "Unatengenezwa…",
		done: "Ukurasa umetengenezwa.",
	},
	name: "Jina",
	description: "Maelezo",
	amountIn: (currency) => `Kiasi kwa ${currency}`,
	amountHint: "Acha tupu ikiwa mlipaji atachagua kiasi.",
	nameMissing: "Andika jina.",
	descriptionMissing: "Weka maelezo.",
	amountInvalid: "Andika kiasi, kwa mfano 1500, au acha tupu.",
	errors: {
		gateway_refused: "Mfumo wa malipo haukubali ukurasa huu.",
		gateway_unavailable: "Mfumo wa malipo haujibu.",
		channel_unavailable: "Malipo kwa kadi bado hayajawekwa.",
	},
};

export const tables = { en: english, sw: swahili };
export const usePaymentPageTexts = createTexts(tables);
