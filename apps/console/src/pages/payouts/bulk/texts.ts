import { createTexts } from "@lango/interface";

const english = {
	title: "Pay many at once",
	lead: "Up to 500 payouts in one request: all of them are accepted, or none. Another person approves them.",
	row: (number: string) => `Payout ${number}`,
	remove: "Remove",
	removeRow: (number: string) => `Remove payout ${number}`,
	add: "Add a payout",
	ask: (count: string) => (count === "1" ? "Request 1 payout" : `Request ${count} payouts`),
	asking: "Requesting…",
	sum: (sum: string) => `${sum} in all`,
	done: "The payouts are requested.",
	twice: "The same amount is paid to the same account more than once, on purpose.",
	tooMany: (most: string) => `One request has ${most} payouts at most. Make several of it.`,
	tooMuch: "The payouts come to more than is available. Remove some, or reduce the amounts.",
	sameAs: (number: string) =>
		`It pays the same amount to the same account as payout ${number}. Remove it, or confirm at the end that this is on purpose.`,
	inRow: (number: string, message: string) => `Payout ${number}: ${message}`,
	paste: {
		label: "Paste a list",
		lead: {
			card_gateway: "Copy the lines from a spreadsheet or a CSV file: the recipient, and the amount.",
			mobile_money:
				"Copy the lines from a spreadsheet or a CSV file: the phone, the amount, and what it is for. The account, the kind and the way may follow.",
		},
		lines: "Lines",
		hint: {
			card_gateway:
				"A recipient is found by its name or by the last four digits of its account. The first line may name the columns: recipient, amount.",
			mobile_money:
				"The first line may name the columns: to, amount, remarks, account, kind, way. A kind is customer, personal_till or business; a way is payment, salary, promotion, paybill or till.",
		},
		missing: "Paste at least one line.",
		confirm: "Make rows of it",
		busy: "Reading…",
	},
};

const swahili: typeof english = {
	title: "Lipa wengi kwa pamoja",
	lead: "Hadi malipo 500 katika ombi moja: yote yanakubaliwa, au hakuna. Mtu mwingine huyaidhinisha.",
	row: (number) => `Utumaji namba ${number}`,
	remove: "Ondoa",
	removeRow: (number) => `Ondoa utumaji namba ${number}`,
	add: "Ongeza utumaji",
	ask: (count) => (count === "1" ? "Omba utumaji 1" : `Omba utumaji ${count}`),
	asking: "Inaombwa…",
	sum: (sum) => `Jumla ${sum}`,
	done: "Ombi la utumaji limepokelewa.",
	twice: "Kiasi kilekile kinatumwa kwa akaunti ileile zaidi ya mara moja kwa makusudi.",
	tooMany: (most) => `Ombi moja lina utumaji ${most} tu. Gawanya katika maombi kadhaa.`,
	tooMuch: "Jumla inazidi fedha zinazopatikana. Ondoa baadhi, au punguza viasi.",
	sameAs: (number) =>
		`Unatuma kiasi kilekile kwa akaunti ileile kama utumaji ${number}. Uondoe, au thibitisha mwishoni kuwa ni makusudi.`,
	inRow: (number, message) => `Utumaji ${number}: ${message}`,
	paste: {
		label: "Bandika orodha",
		lead: {
			card_gateway: "Nakili mistari kutoka lahajedwali au faili la CSV: mpokeaji, kisha kiasi.",
			mobile_money:
				"Nakili mistari kutoka lahajedwali au faili la CSV: simu, kiasi, na fedha ni za nini. Akaunti, aina na njia vinaweza kufuata.",
		},
		lines: "Mistari",
		hint: {
			card_gateway:
				"Mpokeaji hutambuliwa kwa jina au kwa tarakimu nne za mwisho za akaunti. Mstari wa kwanza unaweza kutaja safu: mpokeaji, kiasi.",
			mobile_money:
				"Mstari wa kwanza unaweza kutaja safu: simu, kiasi, maelezo, akaunti, aina, njia. Aina ni customer, personal_till au business; njia ni payment, salary, promotion, paybill au till.",
		},
		missing: "Bandika angalau mstari mmoja.",
		confirm: "Tengeneza safu",
		busy: "Inasomwa…",
	},
};

export const tables = { en: english, sw: swahili };
export const useBulkTexts = createTexts(tables);
