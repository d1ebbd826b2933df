import type { Language } from "@lango/interface";

type Option = { value: string; label: string };

/** Every zone the browser knows, by its name in the IANA database; the one there is among them, whatever its name. */
export function listZones(now: string): Option[] {
	const all = new Set([...Intl.supportedValuesOf("timeZone"), now]);
	return [...all].toSorted().map((value) => ({ value, label: value.replaceAll("_", " ") }));
}

/** Every currency by its code and its name in a language. */
export function listCurrencies(now: string, language: Language): Option[] {
	const names = new Intl.DisplayNames([language], { type: "currency" });
	const all = new Set([...Intl.supportedValuesOf("currency"), now]);
	return [...all].toSorted().map((value) => ({ value, label: labelOf(value, names.of(value)) }));
}

/** What is spoken where the platform is used, and English and French as they are written elsewhere. */
const locales = [
	...["en", "sw"].flatMap((language) => ["KE", "TZ", "UG", "RW"].map((region) => `${language}-${region}`)),
	...["fr-RW", "fr-BI", "fr-CD", "sw-CD", "am-ET", "en-ET", "en-SS", "so-SO", "en-GB", "en-US", "fr-FR"],
];

/** The locales that are offered, and the one there is, by their names in a language. */
export function listLocales(now: string, language: Language): Option[] {
	const names = new Intl.DisplayNames([language], { type: "language" });
	return [...new Set([...locales, now])]
		.map((value) => ({ value, label: names.of(value) ?? value }))
		.toSorted((one, other) => one.label.localeCompare(other.label, language));
}

const labelOf = (code: string, name: string | undefined) =>
	name === undefined || name === code ? code : `${code} – ${name}`;
