import { pagePolicy, safe, smallPage } from "../pages/small-page.ts";

export const errorPagePolicy = pagePolicy();

/** What a person sees when a request cannot be sent back to the front end it came from. */
export function errorPage({
	code,
	message,
	requestId,
}: {
	code: string;
	message: string;
	requestId: string;
}): string {
	return smallPage(
		"Sign-in could not start",
		`<p>${safe(message)}</p><p>Go back to the page you came from and try again. If it happens again, tell whoever runs that page
the code <code>${safe(code)}</code> and the number <code>${safe(requestId)}</code>.</p>`,
	);
}
