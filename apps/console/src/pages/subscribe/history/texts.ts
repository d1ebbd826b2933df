import { createTexts } from "@lango/interface";

const english = {
	payments: "Payments",
	noPayments: "There are no payments yet.",
	what: "For",
	kinds: { checkout: "First or overdue payment", change: "Change", renewal: "Renewal" },
	amount: "Amount",
	status: "Status",
	asked: "Requested",
	settled: "Completed",
	statuses: {
		requested: "Pending",
		paid: "Paid",
		credited: "Kept as credit",
		refused: "Refused",
		withdrawn: "Withdrawn",
		unanswered: "Timed out",
	},
	/** Requested again after a refusal, and still pending. */
	refusedBefore: "Refused, retrying",
	notYet: "not yet",
	bills: "Overage invoices",
	billsLead: "Issued at the end of a period.",
	noBills: "There are no overage invoices.",
	period: "Period until",
	used: "Use over the limit",
	line: (units: string, unit: string, price: string) => `${units} ${unit} at ${price}`,
	fromCredit: (sum: string) => `${sum} of it from your credit`,
	billStatuses: { requested: "Requested", paid: "Paid", unpaid: "Unpaid" },
	retried: (day: string) => `next attempt on ${day}`,
};

const swahili: typeof english = {
	payments: "Malipo",
	noPayments: "Bado hakuna kilichoombwa.",
	what: "Kwa ajili ya",
	kinds: { checkout: "Malipo ya kwanza au yanayodaiwa", change: "Badiliko", renewal: "Kuendeleza" },
	amount: "Kiasi",
	status: "Hali",
	asked: "Yaliombwa",
	settled: "Yalikamilika",
	statuses: {
		requested: "Bado hayajajibiwa",
		paid: "Yamelipwa",
		credited: "Yamewekwa kama salio",
		refused: "Yamekataliwa",
		withdrawn: "Yameondolewa",
		unanswered: "Hayakujibiwa",
	},
	refusedBefore: "Yamekataliwa, yatajaribiwa tena",
	notYet: "bado",
	bills: "Ankara za matumizi ya ziada",
	billsLead: "Hutolewa kipindi kinapoisha.",
	noBills: "Hakuna kilichotumika kupita kikomo.",
	period: "Kipindi hadi",
	used: "Kilichotumika kupita kikomo",
	line: (units, unit, price) => `${unit}: ${units} kwa ${price}`,
	fromCredit: (sum) => `${sum} kati yake kutoka salio lenu`,
	billStatuses: { requested: "Imeombwa", paid: "Imelipwa", unpaid: "Haijalipwa" },
	retried: (day) => `itajaribiwa tena ${day}`,
};

export const tables = { en: english, sw: swahili };
export const useHistoryTexts = createTexts(tables);
