import { pagePolicy, safe, smallPage } from "../pages/small-page.ts";

export const errorPagePolicy = pagePolicy();

/** The page that is shown if a request cannot be sent back to its front end. */
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
		`<p>${safe(message)}</p><p>Go back to the previous page and try again. If the error persists, send the operator of that page the code <code>${safe(code)}</code> and the number <code>${safe(requestId)}</code>.</p>`,
	);
}
