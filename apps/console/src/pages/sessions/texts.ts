import { createTexts, type Language } from "@lango/interface";

const english = {
	title: "Sessions",
	lead: (zone: string) => `Where you are signed in, in every organisation. Times are in ${zone}.`,
	application: "Application",
	signedInAt: "Signed in",
	lastUsed: "Last used",
	expires: "Expires",
	action: "Sign out",
	current: "This session",
	end: "Sign out",
	endOne: (application: string, at: string) => `Sign out of ${application}, signed in ${at}`,
	endTitle: "Sign out there?",
	endText: (application: string) => `You will have to sign in to ${application} again.`,
	ending: "Signing out…",
	ended: (application: string) => `You are signed out of ${application}.`,
	endAll: "Sign out everywhere else",
	endAllTitle: "Sign out everywhere else?",
	endAllText:
		"You will have to sign in again on every other browser and application. You stay signed in here.",
	endedAll: "You are signed out everywhere else.",
	empty: "There are no sessions.",
	search: "Search sessions by application or organisation",
	noneFound: "No matches.",
};

type Texts = typeof english;

const swahili: Texts = {
	title: "Vipindi",
	lead: (zone) => `Ulikoingia, katika kila shirika. Nyakati ni za ${zone}.`,
	application: "Programu",
	signedInAt: "Uliingia",
	lastUsed: "Ilitumika mwisho",
	expires: "Itakwisha yenyewe",
	action: "Kuondoka",
	current: "Kipindi hiki",
	end: "Ondoka",
	endOne: (application, at) => `Ondoka kwenye ${application}, uliyoingia ${at}`,
	endTitle: "Uondoke huko?",
	endText: (application) => `${application} itauliza nenosiri tena.`,
	ending: "Unaondoka…",
	ended: (application) => `Umeondoka kwenye ${application}.`,
	endAll: "Ondoka kwingine kote",
	endAllTitle: "Uondoke kwingine kote?",
	endAllText: "Vivinjari na programu nyingine zote zitalazimika kuingia tena. Hii itaendelea.",
	endedAll: "Umeondoka kwingine kote.",
	empty: "Hakuna vipindi.",
	search: "Tafuta kwa programu au shirika",
	noneFound: "Hakuna kilichopatikana.",
};

export const tables: Readonly<Record<Language, Texts>> = { en: english, sw: swahili };
export const useSessionTexts = createTexts(tables);
