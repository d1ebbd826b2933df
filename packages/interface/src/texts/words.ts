import { createTexts, type Language } from "./language.ts";

const english = {
	skip: "Skip to the content",
	search: "Search",
	close: "Close",
	cancel: "Cancel",
	show: "Show",
	hide: "Hide",
	showPassword: "Show password",
	hidePassword: "Hide password",
	passwordShown: "Your password is shown.",
	passwordHidden: "Your password is hidden.",
	theme: "Theme",
	themes: { auto: "System", light: "Light", dark: "Dark" },
	otherLanguage: { name: "Kiswahili", tag: "sw" as Language },
	pages: "Pages",
	previousPage: "Previous page",
	nextPage: "Next page",
	page: (number: number) => `Page ${number}`,
	total: (count: string) => `Total: ${count}`,
	range: (from: string, to: string, total: string | undefined) =>
		total === undefined ? `${from}–${to}` : `${from}–${to} of ${total}`,
	retryIn: (time: string) => `Try again in ${time}.`,
	retryNow: "You can try again now.",
	typeToConfirm: (text: string) => `To confirm, type: ${text}`,
	problems: (count: number) => `${count} fields need attention.`,
	offline: {
		title: "You are offline",
		text: "The page continues by itself when the connection is back.",
	},
	unsaved: {
		leave: "Leave without saving?",
		leavePage: "Leave the page",
		discard: "Discard what you entered?",
		discardIt: "Discard",
		stay: "Continue editing",
		lost: "What you entered is not saved and will be lost.",
	},
};

const swahili: typeof english = {
	skip: "Ruka hadi kwenye maudhui",
	search: "Tafuta",
	close: "Funga",
	cancel: "Ghairi",
	show: "Onyesha",
	hide: "Ficha",
	showPassword: "Onyesha nenosiri",
	hidePassword: "Ficha nenosiri",
	passwordShown: "Nenosiri lako linaonekana.",
	passwordHidden: "Nenosiri lako limefichwa.",
	theme: "Mwonekano",
	themes: { auto: "Kama kifaa", light: "Mwangaza", dark: "Giza" },
	otherLanguage: { name: "English", tag: "en" },
	pages: "Kurasa",
	previousPage: "Ukurasa uliotangulia",
	nextPage: "Ukurasa unaofuata",
	page: (number) => `Ukurasa wa ${number}`,
	total: (count) => `Jumla: ${count}`,
	range: (from, to, total) => (total === undefined ? `${from}–${to}` : `${from}–${to} kati ya ${total}`),
	retryIn: (time) => `Jaribu tena baada ya ${time}.`,
	retryNow: "Unaweza kujaribu tena sasa.",
	typeToConfirm: (text) => `Kuthibitisha, andika: ${text}`,
	problems: (count) => `Sehemu ${count} zinahitaji kurekebishwa.`,
	offline: {
		title: "Huna mtandao",
		text: "Ukurasa utaendelea wenyewe mtandao ukirudi.",
	},
	unsaved: {
		leave: "Uondoke bila kuhifadhi?",
		leavePage: "Ondoka kwenye ukurasa",
		discard: "Utupe uliyoandika?",
		discardIt: "Tupa",
		stay: "Endelea kuandika",
		lost: "Uliyoandika hayajahifadhiwa na yatapotea.",
	},
};

/** The texts of this package's components, by language. */
export const wordTables: Readonly<Record<Language, typeof english>> = { en: english, sw: swahili };
export const useWords = createTexts(wordTables);
