import { createTexts } from "@lango/interface";

const english = {
	title: "Sessions",
	lead: (zone: string) => `Your browsers and applications, in every organisation. Times are in ${zone}.`,
	end: {
		label: "Sign out",
		labelOf: (device: string, at: string) => `Sign out of ${device}, last used ${at}`,
		title: "Sign out there?",
		text: (device: string) => `All applications on ${device} will require the password again.`,
		busy: "Signing out…",
		done: (device: string) => `You are signed out of ${device}.`,
	},
	endAll: {
		label: "Sign out everywhere else",
		title: "Sign out everywhere else?",
		text: "You will have to sign in again on every other browser and application. You stay signed in here.",
		busy: "Signing out…",
		done: "You are signed out everywhere else.",
	},
};

const swahili: typeof english = {
	title: "Vipindi",
	lead: (zone) => `Vivinjari na programu zako, katika kila shirika. Nyakati ni za ${zone}.`,
	end: {
		label: "Ondoka",
		labelOf: (device, at) => `Ondoka kwenye ${device}, kilichotumika mwisho ${at}`,
		title: "Uondoke huko?",
		text: (device) => `Programu zote kwenye ${device} zitauliza nenosiri tena.`,
		busy: "Unaondoka…",
		done: (device) => `Umeondoka kwenye ${device}.`,
	},
	endAll: {
		label: "Ondoka kwingine kote",
		title: "Uondoke kwingine kote?",
		text: "Utalazimika kuingia tena kwenye vivinjari na programu nyingine zote. Hapa utabaki umeingia.",
		busy: "Unaondoka…",
		done: "Umeondoka kwingine kote.",
	},
};

export const tables = { en: english, sw: swahili };
export const useSessionTexts = createTexts(tables);
