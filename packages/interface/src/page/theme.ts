import { useSyncExternalStore } from "react";

/** `auto` follows the device. */
export const themes = ["auto", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const storageKey = "lango-theme";
const listeners = new Set<() => void>();
let current: Theme = "auto";

/** Applies the stored theme. Call it before the first render. */
export function restoreTheme(): void {
	try {
		show(toTheme(localStorage.getItem(storageKey)));
	} catch {
		show("auto");
	}
}

/** Changes the theme and stores it in this browser. */
export function chooseTheme(theme: Theme): void {
	try {
		localStorage.setItem(storageKey, theme);
	} catch {
		// Without storage the choice applies until the page is loaded again.
	}
	show(theme);
}

/** The chosen theme. The component renders again when it changes. */
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
