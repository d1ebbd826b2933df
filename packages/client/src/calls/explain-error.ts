import { ClientError } from "./client-error.ts";

/** What a page does about an error. */
export type Explanation =
	/** The subscription is not active: a banner or toast that offers to renew, never the sign-in (§7). */
	| "upgrade"
	/** The plan has no such feature or product, or a limit of it is reached. */
	| "plan"
	/** The person may not: the unauthorized page. */
	| "unauthorized"
	/** The person waits for approval: the pending page. */
	| "pending"
	/** Nobody is signed in, or no longer. */
	| "signed_out"
	/** Nothing the person did: trying again may help. */
	| "unavailable"
	/** The request itself was refused: its words and its `field` say why. */
	| "refused";

const planCodes: ReadonlySet<string> = new Set([
	"feature_unavailable",
	"limit_reached",
	"product_unavailable",
	"subscription_limit_exceeded",
]);

/** Tells the 403 of a subscription (`code` or `upgrade`) from one of authorization, and both from the rest (spec §7). */
export function explainError(error: unknown): Explanation {
	if (!(error instanceof ClientError)) return "unavailable";
	const { code, status, body } = error;
	if (code === "subscription_inactive" || body["upgrade"] === true) return "upgrade";
	if (planCodes.has(code)) return "plan";
	if (code === "account_pending") return "pending";
	if (status === 403) return "unauthorized";
	if (status === 401 || code === "signed_out" || code === "invalid_grant") return "signed_out";
	return status === undefined || status >= 500 || status === 429 ? "unavailable" : "refused";
}
