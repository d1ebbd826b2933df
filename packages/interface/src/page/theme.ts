import { type Theme, themes } from "@lango/contracts/language";
import { useSyncExternalStore } from "react";
import { keepChoice, readChoice, takeChoice } from "../texts/choice-cookie.ts";

export { type Theme, themes };

const listeners = new Set<() => void>();
let current: Theme = "auto";

/** Applies the chosen theme. Call it before the first render. */
export function restoreTheme(): void {
	show(toTheme(readChoice("theme")));
}

/** Changes the theme on all pages in this browser. */
export function chooseTheme(theme: Theme): void {
	keepChoice({ member: "theme", value: theme });
	show(theme);
}

/** Shows the theme of the person's account, unless a newer choice waits to be stored with it. */
export function takeTheme(text: string | undefined): void {
	const theme = themes.find((one) => one === text);
	if (theme !== undefined && takeChoice({ member: "theme", value: theme })) show(theme);
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
