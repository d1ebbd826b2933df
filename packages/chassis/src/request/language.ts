import { type Language, languages } from "@lango/contracts";

const rangesMax = 20;

/**
 * Returns the supported language that an Accept-Language header prefers (RFC 9110 §12.5.4), or that a locale
 * names, such as `sw-KE`; undefined if none is supported.
 */
export function preferredLanguage(header: string | undefined): Language | undefined {
	const ranges = (header ?? "").split(",").slice(0, rangesMax).map(readRange);
	const wanted = ranges
		.filter(({ weight }) => weight > 0)
		.toSorted((one, other) => other.weight - one.weight);
	return wanted.flatMap(({ tag }) => languages.filter((language) => language === tag)).at(0);
}

function readRange(range: string): { tag: string; weight: number } {
	const [name = "", quality] = range.split(";q=");
	const [tag = ""] = name.trim().toLowerCase().split("-");
	const weight = quality === undefined ? 1 : Number(quality);
	return { tag, weight: Number.isFinite(weight) ? weight : 0 };
}
