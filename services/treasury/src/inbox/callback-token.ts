import { createHash } from "node:crypto";

/** What a token in the address of a callback opens. */
export type CallbackToken = {
	tenantId: string;
	profileId: string;
	route: CallbackRoute;
	objectKind: "attempt" | "shortcode" | "query" | "standing_order" | "refund" | "payout";
	objectId: string;
	/** Of the prompt for a bill: the platform's shortcode, to which it is paid. */
	platformShortcode?: string | undefined;
	/** Undefined: for the registered addresses of a shortcode. */
	expiresAt: Date | undefined;
};

/** A token as it was issued. */
export type IssuedToken = CallbackToken & { createdAt: Date };

/** The object of the tokens in the registered addresses of a shortcode: its digits, as an id. */
export const idOfShortcode = (shortcode: string): string =>
	`00000000-0000-4000-8000-${shortcode.padStart(12, "0")}`;

/** The routes that the mobile-money gateway calls (payments text §4.2). */
export const callbackRoutes = [
	"callback",
	"validation",
	"confirmation",
	"b2c-result",
	"b2c-timeout",
	"b2b-result",
	"b2b-timeout",
	"txn-status-result",
	"txn-timeout",
	"reversal-result",
	"balance-result",
	"standing-order",
	"timeout",
] as const;
export type CallbackRoute = (typeof callbackRoutes)[number];

/** The value by which a token is found: its SHA-256 in hex. */
export const hashCallbackToken = (token: string): string => createHash("sha256").update(token).digest("hex");

/** The address that the gateway calls. */
export const callbackUrl = (
	publicBaseUrl: string,
	{ route, profileId, token }: { route: CallbackRoute; profileId: string; token: string },
): string => `${publicBaseUrl}/webhooks/mobilemoney/${route}/${profileId}/${token}`;
