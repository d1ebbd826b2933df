import { createTexts } from "@lango/interface";

const english = {
	title: "Riders",
	lead: (tenant: string) =>
		`The fleet of ${tenant}. A rider starts work after you approve them here. Active riders count against your plan.`,
	rider: "Rider",
	status: "Status",
	statuses: { pending: "Waiting for approval", active: "Active", suspended: "Suspended" },
	since: "Since",
	actions: "Actions",
	none: "There are no riders yet. A member with the role Rider appears here.",
	approve: "Approve",
	approveOne: (name: string) => `Approve ${name}`,
	readmit: "Reactivate",
	readmitOne: (name: string) => `Reactivate ${name}`,
	admitted: (name: string) => `${name} is active.`,
	suspend: {
		label: "Suspend",
		labelOf: (name: string) => `Suspend ${name}`,
		title: (name: string) => `Suspend ${name}?`,
		text: (name: string) => `${name} can no longer ride. You can reactivate them later.`,
		busy: "Saving…",
		done: (name: string) => `${name} is suspended.`,
	},
	saving: "Saving…",
	errors: {
		limit_reached: "Your plan allows no more active riders. Suspend another rider or change the plan.",
		rider_status_conflict: "Another administrator changed this rider in the meantime.",
		rider_not_found: "This rider no longer exists.",
	},
};

const swahili: typeof english = {
	title: "Wasafirishaji",
	lead: (tenant) =>
		`Wasafirishaji wa ${tenant}. Msafirishaji anaanza kazi baada ya kumwidhinisha hapa. Walio kazini wanahesabiwa kwenye mpango wako.`,
	rider: "Msafirishaji",
	status: "Hali",
	statuses: { pending: "Anasubiri idhini", active: "Yuko kazini", suspended: "Amesimamishwa" },
	since: "Tangu",
	actions: "Vitendo",
	none: "Bado hakuna wasafirishaji. Mwanachama mwenye wadhifa wa msafirishaji ataonekana hapa.",
	approve: "Idhinisha",
	approveOne: (name) => `Mwidhinishe ${name}`,
	readmit: "Wezesha tena",
	readmitOne: (name) => `Mwezeshe ${name} tena`,
	admitted: (name) => `${name} yuko kazini.`,
	suspend: {
		label: "Simamisha",
		labelOf: (name) => `Msimamishe ${name}`,
		title: (name) => `Umsimamishe ${name}?`,
		text: (name) => `${name} hawezi kusafirisha tena. Unaweza kumwezesha tena baadaye.`,
		busy: "Inahifadhiwa…",
		done: (name) => `${name} amesimamishwa.`,
	},
	saving: "Inahifadhiwa…",
	errors: {
		limit_reached: "Mpango wako hauruhusu wasafirishaji zaidi. Msimamishe mwingine au badilisha mpango.",
		rider_status_conflict: "Msimamizi mwingine amembadilisha msafirishaji huyu kwa sasa.",
		rider_not_found: "Msafirishaji huyu hayupo tena.",
	},
};

export const tables = { en: english, sw: swahili };
export const useRiderTexts = createTexts(tables);
