import { createTexts } from "@lango/interface";

const english = {
	unknown: {
		title: "Page not found",
		text: "The address may be wrong, or the page has moved.",
		home: "Go to the home page",
	},
	unknownTenant: {
		title: "Organisation not found",
		text: (slug: string) => `There is no organisation “${slug}”.`,
		advice: "Check the address, or go to the home page to find your organisation.",
	},
	failed: {
		title: "Sign-in failed",
		syncTimedOut: "Your profile was not available within 15 seconds. Try again in a moment.",
		stale: "This sign-in was not started in this tab, or was already used.",
		refused: "The sign-in was refused.",
		denied:
			"You no longer have access. The organisation is suspended, or you are no longer a member. Ask an administrator of the organisation.",
		signIn: "Sign in again",
	},
	broken: {
		title: "Something went wrong",
		text: "This page could not be displayed.",
		advice: "Reload the page. If that does not help, contact support.",
		reload: "Reload",
	},
};

const swahili: typeof english = {
	unknown: {
		title: "Ukurasa haukupatikana",
		text: "Huenda anwani imeandikwa vibaya, au ukurasa umehamishwa.",
		home: "Nenda mwanzo",
	},
	unknownTenant: {
		title: "Shirika halikupatikana",
		text: (slug) => `Hakuna shirika linaloitwa “${slug}” hapa.`,
		advice: "Angalia anwani tena, au nenda mwanzo upate shirika lako.",
	},
	failed: {
		title: "Kuingia hakukufaulu",
		syncTimedOut: "Wasifu wako haukupatikana ndani ya sekunde 15. Jaribu tena baada ya muda mfupi.",
		stale: "Kuingia huku hakukuanzia kwenye ukurasa huu, au kumeshatumika.",
		refused: "Kuingia kumekataliwa.",
		denied:
			"Huna ruhusa tena. Shirika limesimamishwa, au wewe si mwanachama tena. Mwulize msimamizi wa shirika.",
		signIn: "Ingia tena",
	},
	broken: {
		title: "Kuna hitilafu",
		text: "Ukurasa huu haukuweza kuonyeshwa.",
		advice: "Upakie tena. Isiposaidia, waeleze wasaidizi ulichofanya.",
		reload: "Pakia tena",
	},
};

export const tables = { en: english, sw: swahili };
export const useErrorTexts = createTexts(tables);
