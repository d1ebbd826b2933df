import { createTexts } from "@lango/interface";

const english = {
	signedOut: {
		title: "You are signed out",
		text: "Your session on this device has ended.",
	},
	otherTenant: {
		title: "You don’t have access",
		text: (name: string, email: string) => `${email} is not a member of ${name}.`,
		advice: "Sign in with another account, or ask an administrator of the organisation to invite you.",
		signIn: "Sign in with another account",
		home: (name: string) => `Go to ${name}`,
	},
	suspended: {
		title: (name: string) => `${name} is suspended`,
		text: "Sign-in to this organisation is blocked. Its data is kept.",
		advice: "Its administrators can contact the platform owner. Sign in again when it is active.",
	},
};

const swahili: typeof english = {
	signedOut: {
		title: "Umeondoka",
		text: "Umetoka kwenye kifaa hiki. Vilivyokuwa wazi vimefungwa.",
	},
	otherTenant: {
		title: "Huna ruhusa",
		text: (name, email) => `${email} si mwanachama wa ${name}.`,
		advice: "Ingia kama aliye wa hapa, au mwombe msimamizi akualike.",
		signIn: "Ingia kama mtu mwingine",
		home: (name) => `Nenda ${name}`,
	},
	suspended: {
		title: (name) => `${name} limesimamishwa`,
		text: "Hakuna anayeweza kuingia kwa sasa. Data yake inatunzwa.",
		advice:
			"Wasimamizi wake wanaweza kumwuliza mmiliki wa jukwaa sababu, na kinachohitajika liendelee. Kisha ingia tena.",
	},
};

export const tables = { en: english, sw: swahili };
export const useSignInTexts = createTexts(tables);
