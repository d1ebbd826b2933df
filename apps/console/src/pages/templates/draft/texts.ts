import { createTexts, useLanguage } from "@lango/interface";
import type { Content } from "./templates.queries.ts";
import { english } from "./texts-english.ts";
import { swahili } from "./texts-swahili.ts";

export const tables = { en: english, sw: swahili };
export const useTemplateTexts = createTexts(tables);

/** Returns a function that names a content by its channel and language, in the language of the page. */
export function useContentName(): (content: Pick<Content, "channel" | "locale">) => string {
	const { channelNames } = useTemplateTexts();
	const names = new Intl.DisplayNames([useLanguage()], { type: "language" });
	return ({ channel, locale }) => `${channelNames[channel]} · ${nameOf(names, locale)}`;
}

function nameOf(names: Intl.DisplayNames, locale: string): string {
	try {
		return names.of(locale) ?? locale;
	} catch {
		return locale;
	}
}
