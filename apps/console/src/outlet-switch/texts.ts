import { createTexts } from "@lango/interface";

const english = {
	change: "Change outlet",
	search: "Search outlets",
	none: "No results.",
	current: "Selected",
	last: "Last used",
	errors: { outlet_forbidden: "You don’t have access to this outlet. Choose another one." },
};

const swahili: typeof english = {
	change: "Badilisha tawi",
	search: "Tafuta tawi",
	none: "Hakuna matokeo.",
	current: "Limechaguliwa",
	last: "Ulilochagua mwisho",
	errors: { outlet_forbidden: "Huruhusiwi kufanya kazi kwenye tawi hili. Chagua lingine." },
};

export const tables = { en: english, sw: swahili };
export const useOutletSwitchTexts = createTexts(tables);
