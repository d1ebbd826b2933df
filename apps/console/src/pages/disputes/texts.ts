import { createTexts } from "@lango/interface";

const english = {
	title: "Disputes",
	lead: "Payments that payers dispute at their banks. The money is held until the bank has decided.",
	dispute: "Dispute",
	open: (what: string, time: string) => `Open ${what}, ${time}`,
	categories: { chargeback: "Chargeback", fraud: "Suspected fraud", general: "Complaint" },
	status: "Status",
	statuses: { open: "Open", reminded: "Answer soon", won: "Won", lost: "Lost" },
	says: {
		open: "Write below what you know about the payment, before the due time. Lango answers the bank.",
		reminded: "The due time is near. Write below what you know about the payment. Lango answers the bank.",
		won: "The bank decided for you. The money is yours again.",
		lost: "The bank decided for the payer. The money went back.",
	},
	none: "There are no disputes.",
	ofAll: {
		title: "All disputes",
		lead: "Payments of all organisations that payers dispute at their banks. Answer them at the card gateway before they are due.",
		gatewayId: "Number at the gateway",
		note: "What the organisation says",
	},
	due: "Answer due",
	created: "Opened",
	ended: "Decided",
	amount: "Amount",
	of: "Receipt",
	openReceipt: "Open the receipt",
	note: "Your answer",
	noteLead:
		"What was sold, when and where it was delivered, and how to prove it. Lango sends it to the bank.",
	noteLabel: "What you know about the payment",
	noteMissing: "Enter what you know about the payment.",
	noNote: "There is no answer.",
	saving: { save: "Save", saving: "Saving…", saved: "Your answer is saved." },
	errors: { dispute_not_found: "This dispute does not exist any more." },
};

const swahili: typeof english = {
	title: "Migogoro ya malipo",
	lead: "Malipo ambayo walipaji wanayapinga kwenye benki zao. Fedha hushikwa hadi benki iamue.",
	dispute: "Mgogoro",
	open: (what, time) => `Fungua ${what}, ${time}`,
	categories: {
		chargeback: "Benki inadai fedha zirudishwe",
		fraud: "Inashukiwa ulaghai",
		general: "Lalamiko",
	},
	status: "Hali",
	statuses: { open: "Haujaamuliwa", reminded: "Jibu haraka", won: "Mmeshinda", lost: "Mmeshindwa" },
	says: {
		open: "Andika hapa chini unachojua kuhusu malipo haya, kabla ya muda wa kujibu kuisha. Lango huijibu benki.",
		reminded:
			"Muda wa kujibu unakaribia kuisha. Andika hapa chini unachojua kuhusu malipo haya. Lango huijibu benki.",
		won: "Benki imeamua upande wenu. Fedha ni zenu tena.",
		lost: "Benki imeamua upande wa mlipaji. Fedha zimerudishwa.",
	},
	none: "Hakuna migogoro.",
	ofAll: {
		title: "Migogoro yote ya malipo",
		lead: "Malipo ya mashirika yote ambayo walipaji wanayapinga kwenye benki zao. Yajibu kwenye mfumo wa kadi kabla muda haujaisha.",
		gatewayId: "Namba kwenye mfumo wa malipo",
		note: "Linachosema shirika",
	},
	due: "Mwisho wa kujibu",
	created: "Ulianza",
	ended: "Uliamuliwa",
	amount: "Kiasi",
	of: "Risiti",
	openReceipt: "Fungua risiti",
	note: "Jibu lenu",
	noteLead: "Kilichouzwa, kilipelekwa lini na kwa nani, na ushahidi wake. Lango hulituma kwa benki.",
	noteLabel: "Unachojua kuhusu malipo haya",
	noteMissing: "Andika unachojua kuhusu malipo haya.",
	noNote: "Hakuna jibu.",
	saving: { save: "Hifadhi", saving: "Inahifadhiwa…", saved: "Jibu lenu limehifadhiwa." },
	errors: { dispute_not_found: "Mgogoro huu haupo tena." },
};

export const tables = { en: english, sw: swahili };
export const useDisputeTexts = createTexts(tables);
