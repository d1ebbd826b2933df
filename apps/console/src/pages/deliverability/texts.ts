import { createTexts } from "@lango/interface";

const english = {
	title: "Deliverability",
	lead: "How many e-mails of each organisation bounce or are reported as spam, in the last 24 hours. Above 1,000 e-mails an organisation is warned from 5 % bounces or 0.1 % complaints on, and paused from 10 % or 0.3 % on.",
	oneLead: "Its reputation as a sender of e-mail, and its limits.",
	search: "Search organisations by name or slug",
	tenant: "Organisation",
	state: "Status",
	states: { ok: "Good", warned: "Warned", paused: "Paused" },
	sent: "E-mails",
	bounces: "Bounces",
	complaints: "Complaints",
	since: "Since",
	cause: "Because of",
	causes: { bounces: "Bounces", complaints: "Complaints", owner: "The platform owner" },
	reason: "Reason",
	reasonHint: "It is recorded in the audit log. Administrators of the organisation see it.",
	missingReason: "Enter a reason.",
	reputation: "Reputation",
	pause: {
		label: "Pause e-mail",
		lead: (name: string) =>
			`E-mail of ${name} waits until you resume it, and expires at its time. Urgent e-mail, such as codes, and other channels are still sent.`,
		busy: "Pausing…",
		done: (name: string) => `E-mail of ${name} is paused.`,
	},
	resume: {
		label: "Resume e-mail",
		lead: (name: string) =>
			`What waits is sent now. E-mails and bounces of ${name} from before are no longer counted.`,
		busy: "Resuming…",
		done: (name: string) => `E-mail of ${name} is sent again.`,
	},
	limits: "Limits",
	errors: {
		already_paused: "The e-mail of this organisation is already paused. Reload the page.",
		not_paused: "The e-mail of this organisation is not paused any more. Reload the page.",
	},
};

const swahili: typeof english = {
	title: "Uwasilishaji",
	lead: "Barua pepe ngapi za kila shirika hurudi au huripotiwa kuwa taka, katika saa 24 zilizopita. Zaidi ya barua pepe 1,000, shirika huonywa kuanzia 5 % zinazorudi au malalamiko 0.1 %, na husitishwa kuanzia 10 % au 0.3 %.",
	oneLead: "Sifa yake kama mtumaji wa barua pepe, na vikomo vyake.",
	search: "Tafuta mashirika kwa jina au slug",
	tenant: "Shirika",
	state: "Hali",
	states: { ok: "Nzuri", warned: "Limeonywa", paused: "Limesitishwa" },
	sent: "Barua pepe",
	bounces: "Zilizorudi",
	complaints: "Malalamiko",
	since: "Tangu",
	cause: "Kwa sababu ya",
	causes: { bounces: "Zilizorudi", complaints: "Malalamiko", owner: "Mmiliki wa jukwaa" },
	reason: "Sababu",
	reasonHint: "Huandikwa kwenye kumbukumbu. Wasimamizi wa shirika huiona.",
	missingReason: "Andika sababu.",
	reputation: "Sifa",
	pause: {
		label: "Sitisha barua pepe",
		lead: (name) =>
			`Barua pepe za ${name} zitasubiri hadi uziendeleze, na huisha kwa wakati wake. Za haraka, kama misimbo, na njia nyingine bado hutumwa.`,
		busy: "Zinasitishwa…",
		done: (name) => `Barua pepe za ${name} zimesitishwa.`,
	},
	resume: {
		label: "Endeleza barua pepe",
		lead: (name) =>
			`Zinazosubiri zitatumwa sasa. Barua pepe za ${name} za awali na zilizorudi hazihesabiwi tena.`,
		busy: "Zinaendelezwa…",
		done: (name) => `Barua pepe za ${name} zinatumwa tena.`,
	},
	limits: "Vikomo",
	errors: {
		already_paused: "Barua pepe za shirika hili zimeshasitishwa. Pakia ukurasa upya.",
		not_paused: "Barua pepe za shirika hili hazisitishwi tena. Pakia ukurasa upya.",
	},
};

export const tables = { en: english, sw: swahili };
export const useDeliverabilityTexts = createTexts(tables);
