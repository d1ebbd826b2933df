import { paymentFailures } from "./failures.ts";

/** The origins to which a payer's browser may be sent: those of front ends, and the console's. */
type Origins = { allowedOrigins: readonly string[]; consoleUrl: string };

/**
 * Returns the address to which the payer's browser goes after a payment. Throws `return_url_refused` unless
 * its origin is one of the installation's front ends: the treasury sends people to no other site.
 */
export function readReturnUrl(text: string, { allowedOrigins, consoleUrl }: Origins): string {
	const url = URL.parse(text);
	const allowed = [...allowedOrigins, URL.parse(consoleUrl)?.origin];
	if (url === null || url.username !== "" || url.password !== "" || !allowed.includes(url.origin))
		throw paymentFailures.return_url_refused({ fields: { field: "return_url", in: "body" } });
	return url.href;
}

/** The address with the intent and its status, which the site reads, and asks the treasury about. */
export function returnTo(returnUrl: string, { id, status }: { id: string; status: string }): string {
	const url = new URL(returnUrl);
	url.searchParams.set("intent_id", id);
	url.searchParams.set("status", status);
	return url.href;
}
