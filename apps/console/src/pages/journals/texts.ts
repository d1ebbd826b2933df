import { createTexts } from "@lango/interface";

const english = {
	title: "Journals",
	lead: (source: string, id: string) => `What is in the books for this: ${source}, ${id}.`,
	sources: {
		receipt: "receipt",
		payment: "payment",
		payout: "payout",
		payout_fee: "fee of a payout",
		refund: "refund",
		refund_fee: "fee of a refund",
		dispute: "dispute",
		settlement: "settlement",
		adjustment: "adjustment",
	},
	journal: "Journal",
	number: (id: string) => `Number ${id}`,
	lines: "Lines",
	sides: { debit: "Debit", credit: "Credit" },
	purposes: {
		settlement: "Settled by the gateway",
		top_up: "Bank account to transfer balance",
		withdrawal: "Transfer balance to bank account",
	},
	moved: "Money moved",
	posted: "Posted",
	none: "Nothing is posted for it.",
	open: "Open the journals",
};

const swahili: typeof english = {
	title: "Maingizo ya vitabu",
	lead: (source, id) => `Kilichoandikwa vitabuni kwa hiki: ${source}, ${id}.`,
	sources: {
		receipt: "risiti",
		payment: "malipo",
		payout: "utumaji",
		payout_fee: "ada ya utumaji",
		refund: "rejesho",
		refund_fee: "ada ya rejesho",
		dispute: "mgogoro",
		settlement: "makabidhiano ya fedha za kadi",
		adjustment: "rekebisho",
	},
	journal: "Ingizo",
	number: (id) => `Namba ${id}`,
	lines: "Mistari",
	sides: { debit: "Debiti", credit: "Krediti" },
	purposes: {
		settlement: "Yamelipwa na mfumo wa malipo",
		top_up: "Akaunti ya benki kwenda salio la kutuma",
		withdrawal: "Salio la kutuma kwenda akaunti ya benki",
	},
	moved: "Fedha zilihama",
	posted: "Liliandikwa",
	none: "Hakuna kilichoandikwa kwa hiki.",
	open: "Fungua maingizo",
};

export const tables = { en: english, sw: swahili };
export const useJournalTexts = createTexts(tables);
