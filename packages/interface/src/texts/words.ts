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
};

/** The texts of this package's components, by language. */
export const wordTables: Readonly<Record<Language, typeof english>> = { en: english, sw: swahili };
export const useWords = createTexts(wordTables);
