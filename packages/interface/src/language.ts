import { type Language, languages } from "@lango/contracts";
import { useSyncExternalStore } from "react";

export { type Language, languages };

const storageKey = "lango-language";
const requestedKey = "lango-requested-language";
const listeners = new Set<() => void>();
let requested: string | null = readItem("sessionStorage", requestedKey);
let current: Language = preferredLanguage(wantedLanguages());

/** The first of the wanted languages that the pages support; `fallback` when they support none of them. */
export function preferredLanguage(wanted: ReadonlyArray<string | null>, fallback: Language = "en"): Language {
	return firstSupported(wanted) ?? fallback;
}

/**
 * The language of the page: the one chosen on it, else the one of `setRequestedLanguages`, else the first that
 * the browser prefers, else the one of `setFallbackLanguage`.
 */
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

/**
 * Sets the languages that an application asked for when it sent the browser here, most preferred first (OpenID
 * Connect `ui_locales`). The first supported one applies to this tab until the next request. Call it before
 * `setFallbackLanguage`.
 */
export function setRequestedLanguages(tags: readonly string[]): void {
	requested = firstSupported(tags) ?? null;
	try {
		if (requested === null) sessionStorage.removeItem(requestedKey);
		else sessionStorage.setItem(requestedKey, requested);
	} catch {
		// Without storage the language applies until the page is loaded again.
	}
}

/** Sets the language for a person who prefers none that the pages support. Call it before the first page is shown. */
export function setFallbackLanguage(fallback: string | undefined): void {
	show(preferredLanguage(wantedLanguages(), isLanguage(fallback) ? fallback : "en"));
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

function wantedLanguages(): Array<string | null> {
	return [readItem("localStorage", storageKey), requested, ...(globalThis.navigator?.languages ?? [])];
}

function firstSupported(tags: ReadonlyArray<string | null>): Language | undefined {
	return tags.map((tag) => tag?.toLowerCase().split("-", 1)[0]).find(isLanguage);
}

function readItem(storage: "localStorage" | "sessionStorage", key: string): string | null {
	try {
		return globalThis[storage]?.getItem(key) ?? null;
	} catch {
		return null;
	}
}

function isLanguage(tag: string | undefined): tag is Language {
	return languages.some((language) => language === tag);
}
