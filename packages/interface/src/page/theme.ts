import { useSyncExternalStore } from "react";
import { keepChoice, readChoice } from "../texts/choice-cookie.ts";

/** `auto` follows the device. */
export const themes = ["auto", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const choice = "lango-theme";
const listeners = new Set<() => void>();
let current: Theme = "auto";

/** Applies the chosen theme. Call it before the first render. */
export function restoreTheme(): void {
	show(toTheme(readChoice(choice)));
}

/** Changes the theme on all pages in this browser. */
export function chooseTheme(theme: Theme): void {
	keepChoice(choice, theme);
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
