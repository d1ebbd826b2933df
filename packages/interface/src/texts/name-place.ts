import type { Language } from "./language.ts";

/** A city and its country, such as "Mombasa, Kenya"; the country's name is in the language. */
export function namePlace(
	{ country, city }: { country: string; city: string | null },
	language: Language,
): string {
	const name = new Intl.DisplayNames([language], { type: "region" }).of(country) ?? country;
	return city === null ? name : `${city}, ${name}`;
}
