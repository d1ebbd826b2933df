/**
 * Every word the pages say. A second language is a second object of the same type and one row in `languages`.
 * To a person a tenant is an organisation: that is their word for it.
 */
const english = {
	title: (page: string) => `${page} · Lango`,
	motto: "One gate for everything you work with.",
	wordmark: "Lango",
	signIn: {
		title: "Sign in",
		titleTo: (tenant: string) => `Sign in to ${tenant}`,
		lead: "Use your work e-mail address and password.",
		email: "E-mail address",
		password: "Password",
		show: "Show",
		hide: "Hide",
		showPassword: "Show password",
		hidePassword: "Hide password",
		passwordShown: "Your password is shown.",
		passwordHidden: "Your password is hidden.",
		submit: "Sign in",
		submitting: "Signing in…",
		forgotten: "Forgotten your password? An administrator of your organisation can help.",
		emailMissing: "Enter your e-mail address.",
		passwordMissing: "Enter your password.",
	},
	refusal: {
		invalid_credentials: "The e-mail address or the password is wrong. Check both and try again.",
		invalid_input: "Something in the form is not right. Check what you entered and try again.",
		invalid_email: "That does not look like an e-mail address. Enter one like amina@example.com.",
		invalid_password: "That cannot be a password here. Check it and try again.",
		rate_limited: (wait: string) => `Too many attempts. Wait ${wait}, then try again.`,
		unavailable: (wait: string) => `Many people are signing in just now. Wait ${wait}, then try again.`,
		tenant_inactive:
			"This organisation’s access is switched off at the moment. Ask its administrator when it will be back.",
		unreachable: "The sign-in service cannot be reached. Check your connection, then try again.",
		unknown: "Something went wrong on our side, and you are not signed in. Try again in a minute.",
		reference: (requestId: string) => `If it happens again, give support this reference: ${requestId}`,
	},
	wait: {
		moment: "a minute",
		seconds: (count: number) => (count === 1 ? "1 second" : `${count} seconds`),
		minutes: (count: number) => (count === 1 ? "1 minute" : `${count} minutes`),
	},
	unknownTenant: {
		title: "We do not know this organisation",
		text: (slug: string) => `There is no organisation called “${slug}” here.`,
		advice: "Check the address you came by, or ask the person who gave it to you.",
		without: "Sign in without an organisation",
	},
	badReturn: {
		title: "This sign-in link cannot be used",
		text: "It asks to send you somewhere we do not trust after you sign in, so we stopped here.",
		advice: "Go back to the application you came from and sign in from there.",
		without: "Sign in without it",
	},
	signedIn: {
		title: "You are signed in",
		text: (email: string) => `Signed in as ${email}.`,
		advice: "Go back to the application you want to work with: it will let you straight in.",
		signOut: "Sign out",
	},
	signedOut: {
		title: "You are signed out",
		text: "This browser no longer opens anything of yours here.",
		advice: "On a computer others use, close the browser window too.",
		again: "Sign in again",
	},
	unknownPage: {
		title: "There is nothing at this address",
		text: "The link may be old, or a letter may be missing.",
		advice: "Check the address, or go back to the application you came from.",
		signIn: "Go to sign in",
	},
	broken: {
		title: "This page could not start",
		text: "Something it needs did not arrive.",
		advice: "Check your connection, then load the page again.",
		reload: "Load again",
	},
};

export type Texts = typeof english;

const languages: Readonly<Record<string, Texts>> = { en: english };

/** The language of these that a person prefers, as a language tag; English when they prefer none of them. */
export function preferredLanguage(wanted: readonly string[]): string {
	const tags = wanted.map((tag) => tag.toLowerCase().split("-", 1)[0] ?? "");
	return tags.find((tag) => tag in languages) ?? "en";
}

/** The words of a language; English when there are none in it. */
export function textsIn(language: string): Texts {
	return languages[language] ?? english;
}

export const texts: Texts = textsIn(preferredLanguage(globalThis.navigator?.languages ?? []));
