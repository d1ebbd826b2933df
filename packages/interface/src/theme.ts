import { useSyncExternalStore } from "react";

/** `auto` follows the device. */
export const themes = ["auto", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const storageKey = "lango-theme";
const listeners = new Set<() => void>();
let current: Theme = "auto";

/** Shows the theme this device was last given; call it before the first page is shown. */
export function restoreTheme(): void {
	try {
		show(toTheme(localStorage.getItem(storageKey)));
	} catch {
		show("auto");
	}
}

/** Shows a theme and remembers it on this device. */
export function chooseTheme(theme: Theme): void {
	try {
		localStorage.setItem(storageKey, theme);
	} catch {
		// A browser that keeps nothing for this page forgets the choice with the page; nothing else depends on it.
	}
	show(theme);
}

/** The theme that was chosen; the component is shown again when it changes. */
export function useTheme(): Theme {
	return useSyncExternalStore(listen, () => current);
}

/** Reads a theme; anything else is `auto`. */
export function toTheme(text: string | null): Theme {
	return themes.find((theme) => theme === text) ?? "auto";
}

function show(theme: Theme): void {
	current = theme;
	if (theme === "auto") delete document.documentElement.dataset.theme;
	else document.documentElement.dataset.theme = theme;
	for (const listener of listeners) listener();
}

function listen(listener: () => void): () => void {
	listeners.add(listener);
	return () => listeners.delete(listener);
}
