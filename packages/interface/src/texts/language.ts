import { type Language, languages } from "@lango/contracts/language";
import { useSyncExternalStore } from "react";
import { keepChoice, readChoice, takeChoice } from "./choice-cookie.ts";

export { type Language, languages };

const requestedKey = "lango-requested-language";
const listeners = new Set<() => void>();
let requested: string | null = readRequested();
let current: Language = preferredLanguage(wantedLanguages());

/** The first supported language of `wanted`, else `fallback`. */
export function preferredLanguage(wanted: ReadonlyArray<string | null>, fallback: Language = "en"): Language {
	return firstSupported(wanted) ?? fallback;
}

/**
 * The language of the page: the chosen one, else the one of `setRequestedLanguages`, else the browser's first
 * supported one, else the one of `setFallbackLanguage`.
 */
export function currentLanguage(): Language {
	return current;
}

/** Changes the language of all pages in this browser. */
export function chooseLanguage(language: Language): void {
	keepChoice({ member: "locale", value: language });
	show(language);
}

/** Shows the language of the person's account, unless a newer choice waits to be stored with it. */
export function takeLanguage(language: string | undefined): void {
	if (isLanguage(language) && takeChoice({ member: "locale", value: language })) show(language);
}

/**
 * Sets the languages that an application requested, most preferred first (OpenID Connect `ui_locales`).
 * The first supported one applies to this tab until the next request. Call it before
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

/** Sets the fallback if no preferred language is supported. Call it before the first render. */
export function setFallbackLanguage(fallback: string | undefined): void {
	show(preferredLanguage(wantedLanguages(), isLanguage(fallback) ? fallback : "en"));
}

/** The language of the page. The component renders again when it changes. */
export function useLanguage(): Language {
	return useSyncExternalStore(listen, currentLanguage);
}

/** Creates a hook that returns the texts in the language of the page. All tables have the same type. */
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
	return [readChoice("locale"), requested, ...(globalThis.navigator?.languages ?? [])];
}

function firstSupported(tags: ReadonlyArray<string | null>): Language | undefined {
	return tags.map((tag) => tag?.toLowerCase().split("-", 1)[0]).find(isLanguage);
}

function readRequested(): string | null {
	try {
		return globalThis.sessionStorage?.getItem(requestedKey) ?? null;
	} catch {
		return null;
	}
}

function isLanguage(tag: string | undefined): tag is Language {
	return languages.some((language) => language === tag);
}
