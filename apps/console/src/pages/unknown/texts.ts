import { createTexts, type Language } from "@lango/interface";

const english = {
	unknown: {
		title: "There is nothing at this address",
		text: "It may have been mistyped, or the page has moved.",
		home: "Go to the start",
	},
	unknownTenant: {
		title: "There is no such organisation",
		text: (slug: string) => `No organisation is called “${slug}” here.`,
		advice: "Look at the address again, or go to the start to find your own.",
	},
	failed: {
		title: "You could not be let in",
		syncTimedOut: "Your profile was not there within 15 seconds. It may still be on its way.",
		stale: "This sign-in was not begun in this tab, or was used already.",
		refused: "The sign-in was refused.",
		denied:
			"Your organisation lets you in no more: it is suspended, or you are no longer one of it. Ask one of its administrators.",
		signIn: "Sign in again",
	},
	broken: {
		title: "Something went wrong",
		text: "This page could not be shown.",
		advice: "Load it again. If that does not help, tell support what you did.",
		reload: "Load again",
	},
};

type Texts = typeof english;

const swahili: Texts = {
	unknown: {
		title: "Hakuna kitu kwenye anwani hii",
		text: "Huenda imeandikwa vibaya, au ukurasa umehamishwa.",
		home: "Nenda mwanzo",
	},
	unknownTenant: {
		title: "Hakuna shirika kama hilo",
		text: (slug) => `Hakuna shirika linaloitwa “${slug}” hapa.`,
		advice: "Angalia anwani tena, au nenda mwanzo upate shirika lako.",
	},
	failed: {
		title: "Haikuwezekana kukuingiza",
		syncTimedOut: "Wasifu wako haukupatikana ndani ya sekunde 15. Huenda bado unakuja.",
		stale: "Kuingia huku hakukuanzia kwenye ukurasa huu, au kumeshatumika.",
		refused: "Kuingia kumekataliwa.",
		denied:
			"Shirika lako halikuruhusu tena: limesimamishwa, au wewe si mmoja wake tena. Mwulize mmoja wa wasimamizi wake.",
		signIn: "Ingia tena",
	},
	broken: {
		title: "Kuna hitilafu",
		text: "Ukurasa huu haukuweza kuonyeshwa.",
		advice: "Upakie tena. Isiposaidia, waeleze wasaidizi ulichofanya.",
		reload: "Pakia tena",
	},
};

export const tables: Readonly<Record<Language, Texts>> = { en: english, sw: swahili };
export const useUnknownTexts = createTexts(tables);
