/**
 * The shape of the client that fetches links of the sign-on service. The file is directly in `src/`, because
 * `dispatch/` uses it, and `links/` imports `messages/`, which imports `dispatch/`.
 */

/** Fetches links from the sign-on service, for a mail that is sent now. */
export type MailLinks = {
	find(linkId: string): Promise<FetchedLink>;
};

/** `gone`: used, withdrawn or expired. `unavailable`: the sign-on service did not answer as documented. */
export type FetchedLink = { is: "found"; url: string } | { is: "gone" } | { is: "unavailable"; code: string };
