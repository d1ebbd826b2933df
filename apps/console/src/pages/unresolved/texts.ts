import { createTexts } from "@lango/interface";

const english = {
	title: "Unknown outcomes",
	lead: "Payments, payouts and refunds of all organisations whose outcome a gateway has not said, the oldest first.",
	kind: "What",
	kinds: { attempt: "Payments", payout: "Payouts", refund: "Refunds" },
	age: "Age",
	ages: { hour: "Under an hour", day: "Under a day", week: "Under a week", older: "Older" },
	review: "Decision",
	reviews: { true: "Needed", false: "Not needed yet" },
	organisation: "Organisation",
	status: "Status",
	statuses: { submitting: "Being sent", unknown: "Being checked", needs_otp: "Needs a one-time password" },
	underReview: "Needs a decision",
	proposed: "One person says that it failed",
	since: "Sent",
	amount: "Amount",
	actions: "Actions",
	open: {
		attempt: "Open the payment",
		bill: "Open the bill",
		payout: "Open the payout",
		refund: "Open the receipt",
	},
	none: "The outcome of everything is known.",
};

const swahili: typeof english = {
	title: "Matokeo yasiyojulikana",
	lead: "Malipo, utumaji wa fedha na marejesho ya mashirika yote ambayo mfumo wa malipo haujasema matokeo yake, ya zamani kwanza.",
	kind: "Nini",
	kinds: { attempt: "Malipo", payout: "Utumaji wa fedha", refund: "Marejesho ya fedha" },
	age: "Umri",
	ages: { hour: "Chini ya saa", day: "Chini ya siku", week: "Chini ya wiki", older: "Za zamani zaidi" },
	review: "Uamuzi",
	reviews: { true: "Unahitajika", false: "Bado hauhitajiki" },
	organisation: "Shirika",
	status: "Hali",
	statuses: { submitting: "Inatumwa", unknown: "Inaangaliwa", needs_otp: "Inahitaji nenosiri la mara moja" },
	underReview: "Inahitaji uamuzi",
	proposed: "Mtu mmoja amesema imeshindikana",
	since: "Ilitumwa",
	amount: "Kiasi",
	actions: "Vitendo",
	open: {
		attempt: "Fungua malipo",
		bill: "Fungua bili",
		payout: "Fungua utumaji",
		refund: "Fungua risiti",
	},
	none: "Matokeo ya kila kitu yanajulikana.",
};

export const tables = { en: english, sw: swahili };
export const useUnresolvedTexts = createTexts(tables);
