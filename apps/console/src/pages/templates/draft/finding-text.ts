import { useLanguage } from "@lango/interface";
import { swahili } from "./findings-swahili.ts";
import type { Finding } from "./templates.queries.ts";

/** Returns the text of a finding; one whose code is newer than this page is in English. */
export function findingText({ code, params, reason }: Finding, language: string): string {
	if (language !== "sw" || !Object.hasOwn(swahili, code)) return reason;
	return swahili[code].replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(params[name] ?? whole));
}

/** Returns a function that says a finding in the language of the page. */
export function useFindingText(): (finding: Finding) => string {
	const language = useLanguage();
	return (finding) => findingText(finding, language);
}
