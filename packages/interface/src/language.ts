import { type Language, languages } from "@lango/contracts";
import { useSyncExternalStore } from "react";

export { type Language, languages };

const storageKey = "lango-language";
const listeners = new Set<() => void>();
let current: Language = preferredLanguage([remembered(), ...(globalThis.navigator?.languages ?? [])]);

/** The first of the languages wanted that the pages speak; `fallback` when they speak none of them. */
export function preferredLanguage(wanted: ReadonlyArray<string | null>, fallback: Language = "en"): Language {
	const tags = wanted.map((tag) => tag?.toLowerCase().split("-", 1)[0]);
	return tags.find(isLanguage) ?? fallback;
}

/** The language the page is in: the one chosen on it, else the first the browser prefers, else `setFallbackLanguage`'s. */
export function currentLanguage(): Language {
	return current;
}

/** Puts the page into a language and remembers it on this device. */
export function chooseLanguage(language: Language): void {
	try {
		localStorage.setItem(storageKey, language);
	} catch {
		// A browser that keeps nothing for this page forgets the choice with the page; nothing else depends on it.
	}
	show(language);
}

/** What a deployment speaks to people whose browser asks for no language the pages have. Call it before the first page is shown. */
export function setFallbackLanguage(fallback: string | undefined): void {
	const wanted = [remembered(), ...navigator.languages];
	show(preferredLanguage(wanted, isLanguage(fallback) ? fallback : "en"));
}

/** The language the page is in; the component is shown again when it changes. */
export function useLanguage(): Language {
	return useSyncExternalStore(listen, currentLanguage);
}

/** Makes the hook that answers an app's words in the language of the page. One table for each language, of one type. */
export function createTexts<T>(tables: Readonly<Record<Language, T>>): () => T {
	return () => tables[useLanguage()];
}

function show(language: Language): void {
	current = language;
	document.documentElement.lang = language;
	for (const listener of listeners) listener();
}

function listen(listener: () => void): () => void {
	listeners.add(listener);
	return () => listeners.delete(listener);
}

function remembered(): string | null {
	try {
		return globalThis.localStorage?.getItem(storageKey) ?? null;
	} catch {
		return null;
	}
}

function isLanguage(tag: string | undefined): tag is Language {
	return languages.some((language) => language === tag);
}
