import { createTexts, type Language } from "@lango/interface";

const english = {
	signedOut: {
		title: "You are signed out",
		text: "Your session on this device has ended. What was open has been closed.",
	},
	otherTenant: {
		title: "You do not belong here",
		text: (name: string, email: string) => `${email} is not one of ${name}.`,
		advice: "Sign in as somebody who is, or ask its administrator to invite you.",
		signIn: "Sign in as somebody else",
		home: (name: string) => `Go to ${name}`,
	},
	suspended: {
		title: (name: string) => `${name} is suspended`,
		text: "Nobody can sign in to it for now. What it has is kept.",
		advice:
			"Its administrators can ask whoever runs the platform why, and what lets it go on. Then sign in again.",
	},
};

type Texts = typeof english;

const swahili: Texts = {
	signedOut: {
		title: "Umeondoka",
		text: "Umetoka kwenye kifaa hiki. Vilivyokuwa wazi vimefungwa.",
	},
	otherTenant: {
		title: "Wewe si wa hapa",
		text: (name, email) => `${email} si mmoja wa ${name}.`,
		advice: "Ingia kama aliye wa hapa, au mwombe msimamizi akualike.",
		signIn: "Ingia kama mtu mwingine",
		home: (name) => `Nenda ${name}`,
	},
	suspended: {
		title: (name) => `${name} limesimamishwa`,
		text: "Kwa sasa hakuna anayeweza kuliingia. Lilicho nacho kinatunzwa.",
		advice:
			"Wasimamizi wake wanaweza kumwuliza mwendeshaji wa jukwaa sababu, na kinachohitajika liendelee. Kisha ingia tena.",
	},
};

export const tables: Readonly<Record<Language, Texts>> = { en: english, sw: swahili };
export const useStartTexts = createTexts(tables);
