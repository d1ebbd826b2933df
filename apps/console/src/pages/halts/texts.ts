import { createTexts } from "@lango/interface";

const english = {
	title: "Halts",
	lead: "A halt stops requests for money, and sending it. What arrives is counted, and what was sent is still found out.",
	none: "Nothing is halted.",
	scope: "What is halted",
	scopes: { collections: "Collections", payouts: "Payouts", refunds: "Refunds" },
	tenant: "Organisation",
	tenantHint: "The part of its addresses, for example uhai. Leave it empty for all organisations.",
	all: "All organisations",
	because: "Reason",
	since: "Since",
	missingReason: "Enter a reason.",
	unknownTenant: "No organisation has this address.",
	set: {
		label: "Halt payments",
		lead: "It takes effect at once, until it is lifted.",
		confirm: "Halt",
		busy: "Halting…",
		done: "The halt is on.",
	},
	lift: {
		label: "Lift",
		title: (scope: string, tenant: string) => `Lift the halt: ${scope}, ${tenant}`,
		lead: "Sending continues at once.",
		confirm: "Lift the halt",
		busy: "Lifting…",
		done: "The halt is lifted.",
	},
	actions: "Actions",
};

const swahili: typeof english = {
	title: "Vizuizi vya malipo",
	lead: "Kizuizi huzuia fedha kuombwa au kutumwa. Kinachofika huhesabiwa, na kilichotumwa huendelea kufuatiliwa.",
	none: "Hakuna kilichozuiwa.",
	scope: "Kilichozuiwa",
	scopes: { collections: "Makusanyo", payouts: "Utumaji wa fedha", refunds: "Marejesho ya fedha" },
	tenant: "Shirika",
	tenantHint: "Sehemu ya anwani zake, kwa mfano uhai. Acha tupu kwa mashirika yote.",
	all: "Mashirika yote",
	because: "Sababu",
	since: "Tangu",
	missingReason: "Andika sababu.",
	unknownTenant: "Hakuna shirika lenye anwani hii.",
	set: {
		label: "Zuia malipo",
		lead: "Hufanya kazi mara moja, hadi kiondolewe.",
		confirm: "Zuia",
		busy: "Inazuiwa…",
		done: "Kizuizi kimewekwa.",
	},
	lift: {
		label: "Ondoa",
		title: (scope, tenant) => `Ondoa kizuizi: ${scope}, ${tenant}`,
		lead: "Kutuma kunaendelea mara moja.",
		confirm: "Ondoa kizuizi",
		busy: "Kinaondolewa…",
		done: "Kizuizi kimeondolewa.",
	},
	actions: "Vitendo",
};

export const tables = { en: english, sw: swahili };
export const useHaltTexts = createTexts(tables);
