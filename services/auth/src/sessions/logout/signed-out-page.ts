import { pagePolicy, smallPage } from "../../pages/small-page.ts";

const texts = {
	done: ["You are signed out", "Every application you used from this browser has been signed out, too."],
	refuse: [
		"You could not be signed out this way",
		"The application's request was not right, so nothing was changed.",
	],
	ask: ["Sign out?", "An application asked to sign you out of everything you use from this browser."],
} as const;

/** What a person sees when a sign-out ends here and not at an application. */
export function signedOutPage(kind: keyof typeof texts, { signInUrl }: { signInUrl: string }): string {
	const [title, text] = texts[kind];
	const form =
		'<form method="post" action="/api/v1/oidc/logout"><input type="hidden" name="confirm" value="yes"><button>Sign out</button></form>';
	const next = kind === "ask" ? form : `<p><a href="${signInUrl}">Sign in</a></p>`;
	return smallPage(title, `<p>${text}</p>${next}`);
}

/** Its one form goes to the issuer itself. */
export const signedOutPagePolicy = (issuer: string) => pagePolicy({ formAction: new URL(issuer).origin });
