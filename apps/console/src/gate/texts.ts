import { createTexts } from "@lango/interface";

const english = {
	expired: {
		title: "Your session has ended",
		text: "Sign in again in a new window. This page stays as it is, with everything you entered.",
	},
	again: {
		title: "You are signed in again",
		text: "Close this window and continue on the page where you were.",
	},
};

const swahili: typeof english = {
	expired: {
		title: "Kipindi chako kimekwisha",
		text: "Ingia tena kwenye dirisha jipya. Ukurasa huu utabaki ulivyo, pamoja na yote uliyoandika.",
	},
	again: {
		title: "Umeingia tena",
		text: "Funga dirisha hili uendelee kwenye ukurasa ulipokuwa.",
	},
};

export const tables = { en: english, sw: swahili };
export const useGateTexts = createTexts(tables);
