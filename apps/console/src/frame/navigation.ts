import { mayDo, type Profile } from "@lango/client";
import type { LinkOptions } from "@tanstack/react-router";
import type { FrameTexts } from "./texts.ts";

export type NavigationGroup = "organisation" | "you";

export type NavigationEntry = {
	to: NonNullable<LinkOptions["to"]>;
	label: (texts: FrameTexts) => string;
	group: NavigationGroup;
	/** Who sees it: whoever may open it. Everybody when absent. */
	isFor?: (profile: Profile) => boolean;
};

/** Whoever holds a permission of the sign-on service. */
export const holders = (permission: string) => (profile: Profile) => mayDo(profile, permission);

/** The way through the console, in the order it is shown. A page that others lead to has no entry. */
export const navigation: readonly NavigationEntry[] = [
	{ to: "/$orgSlug", label: (texts) => texts.overview, group: "organisation" },
	{ to: "/$orgSlug/subscribe", label: (texts) => texts.subscription, group: "organisation" },
	{ to: "/$orgSlug/profile", label: (texts) => texts.you, group: "you" },
	{ to: "/$orgSlug/sessions", label: (texts) => texts.sessions, group: "you" },
];

/** The entries somebody sees, by group. */
export function navigationFor(
	profile: Profile | undefined,
	group: NavigationGroup,
): readonly NavigationEntry[] {
	if (profile === undefined) return [];
	return navigation.filter((entry) => entry.group === group && (entry.isFor?.(profile) ?? true));
}
