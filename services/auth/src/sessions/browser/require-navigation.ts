import { failures } from "../../failures.ts";

type Headers = Record<string, string | string[] | undefined>;

/**
 * Refuses a request that a page makes for a picture, a frame or a script. A browser labels every request by
 * Fetch Metadata headers; a sign-out by GET must be a navigation of the whole window, or a stored picture
 * address could sign people out. Programs that do not send the headers pass. Throws `not_a_navigation`.
 */
export function requireNavigation(headers: Headers): void {
	const { "sec-fetch-mode": mode = "navigate", "sec-fetch-dest": destination = "document" } = headers;
	if (mode !== "navigate" || destination !== "document") throw failures.not_a_navigation();
}
