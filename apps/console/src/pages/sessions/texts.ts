import { createTexts } from "@lango/interface";

const english = {
	title: "Sessions",
	lead: (zone: string) => `Where you are signed in, in every organisation. Times are in ${zone}.`,
	application: "Application",
	signedInAt: "Signed in",
	lastUsed: "Last used",
	expires: "Expires",
	action: "Sign out",
	current: "This session",
	end: {
		label: "Sign out",
		labelOf: (application: string, at: string) => `Sign out of ${application}, signed in ${at}`,
		title: "Sign out there?",
		text: (application: string) => `You will have to sign in to ${application} again.`,
		busy: "Signing out…",
		done: (application: string) => `You are signed out of ${application}.`,
	},
	endAll: {
		label: "Sign out everywhere else",
		title: "Sign out everywhere else?",
		text: "You will have to sign in again on every other browser and application. You stay signed in here.",
		busy: "Signing out…",
		done: "You are signed out everywhere else.",
	},
	empty: "There are no sessions.",
	search: "Search sessions by application or organisation",
};

const swahili: typeof english = {
	title: "Vipindi",
	lead: (zone) => `Ulikoingia, katika kila shirika. Nyakati ni za ${zone}.`,
	application: "Programu",
	signedInAt: "Uliingia",
	lastUsed: "Ilitumika mwisho",
	expires: "Itakwisha yenyewe",
	action: "Kuondoka",
	current: "Kipindi hiki",
	end: {
		label: "Ondoka",
		labelOf: (application, at) => `Ondoka kwenye ${application}, uliyoingia ${at}`,
		title: "Uondoke huko?",
		text: (application) => `${application} itauliza nenosiri tena.`,
		busy: "Unaondoka…",
		done: (application) => `Umeondoka kwenye ${application}.`,
	},
	endAll: {
		label: "Ondoka kwingine kote",
		title: "Uondoke kwingine kote?",
		text: "Vivinjari na programu nyingine zote zitalazimika kuingia tena. Hii itaendelea.",
		busy: "Unaondoka…",
		done: "Umeondoka kwingine kote.",
	},
	empty: "Hakuna vipindi.",
	search: "Tafuta kwa programu au shirika",
};

export const tables = { en: english, sw: swahili };
export const useSessionTexts = createTexts(tables);
