import { ClientError } from "./client-error.ts";

/** What a page does about an error. */
export type Explanation =
	/** The subscription is not active: show a banner or toast that offers to renew, never the sign-in (§7). */
	| "upgrade"
	/** The plan lacks the feature or product, or its limit is reached. */
	| "plan"
	/** The person lacks a permission: show the unauthorized page. */
	| "unauthorized"
	/** The person waits for approval: show the pending page. */
	| "pending"
	/** There is no session, or it has ended. */
	| "signed_out"
	/** A temporary failure: a retry may succeed. */
	| "unavailable"
	/** The request was refused: show the message, at the input that `field` names. */
	| "refused";

const planCodes: ReadonlySet<string> = new Set([
	"feature_unavailable",
	"limit_reached",
	"product_unavailable",
	"subscription_limit_exceeded",
]);

/** Classifies an error. A 403 of the subscription (`code` or `upgrade`) differs from other 403s (§7). */
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
