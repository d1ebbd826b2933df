import { keepChoicesWith } from "../texts/choice-cookie.ts";
import { takeLanguage } from "../texts/language.ts";
import { takeTheme } from "./theme.ts";

type Look = { userId: string; locale: string | undefined; theme: string | undefined };
type AccountLook = Look & {
	/** Stores a later choice with the account. Returns false if that failed. */
	keep: NonNullable<Parameters<typeof keepChoicesWith>[0]>["keep"];
};

/** What the account had when it was last read. */
let seen: Look | undefined;

/**
 * Shows the language and the theme of the signed-in person's account, in place of those of the browser. Later
 * choices are stored with the account. What was shown before is not shown again: it may have been read before
 * a later choice.
 */
export function followAccount({ keep, ...look }: AccountLook): void {
	keepChoicesWith({ userId: look.userId, keep });
	const before = seen?.userId === look.userId ? seen : undefined;
	seen = look;
	if (look.locale !== before?.locale) takeLanguage(look.locale);
	if (look.theme !== before?.theme) takeTheme(look.theme);
}

/** Keeps later choices in this browser alone. Call it when the person is no longer signed in. */
export function leaveAccount(): void {
	keepChoicesWith(undefined);
}
