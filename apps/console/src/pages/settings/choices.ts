import { compareNames, type Language } from "@lango/interface";

type Option = { value: string; label: string };

/** All time zones of the browser by IANA name, and the current one. */
export function listZones(now: string): Option[] {
	const all = new Set([...Intl.supportedValuesOf("timeZone"), now]);
	return [...all].toSorted().map((value) => ({ value, label: value.replaceAll("_", " ") }));
}

/** All currencies with code and name, and the current one. */
export function listCurrencies(now: string, language: Language): Option[] {
	const names = new Intl.DisplayNames([language], { type: "currency" });
	const all = new Set([...Intl.supportedValuesOf("currency"), now]);
	return [...all].toSorted().map((value) => ({ value, label: labelOf(value, names.of(value)) }));
}

/** Languages of the region where the platform is used, and common variants of English and French. */
const locales = [
	...["en", "sw"].flatMap((language) => ["KE", "TZ", "UG", "RW"].map((region) => `${language}-${region}`)),
	...["fr-RW", "fr-BI", "fr-CD", "sw-CD", "am-ET", "en-ET", "en-SS", "so-SO", "en-GB", "en-US", "fr-FR"],
];

/** The offered locales and the current one, by name. */
export function listLocales(now: string, language: Language): Option[] {
	const names = new Intl.DisplayNames([language], { type: "language" });
	return [...new Set([...locales, now])]
		.map((value) => ({ value, label: names.of(value) ?? value }))
		.toSorted((one, other) => compareNames(one.label, other.label));
}

const labelOf = (code: string, name: string | undefined) =>
	name === undefined || name === code ? code : `${code} – ${name}`;
