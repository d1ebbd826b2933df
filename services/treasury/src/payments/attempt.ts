/** One try to collect an intent at a gateway. */
export type Attempt = {
	tenantId: string;
	id: string;
	intentId: string;
	seq: number;
	amountMinor: bigint;
	channel: Channel;
	/** The owner of the account that the money comes to. */
	custody: "tenant" | "platform";
	/** The shortcode that is paid; null at the card gateway. */
	shortcode: string | null;
	status: AttemptStatus;
	/** What the gateway knows it by: `pay-` and 32 hex digits. */
	reference: string;
	phone: string | null;
	merchantRequestId: string | null;
	checkoutRequestId: string | null;
	accessCode: string | null;
	authorizationUrl: string | null;
	failureCode: string | null;
	submittedAt: Date | null;
	nextCheckAt: Date | null;
	checks: number;
	expiresAt: Date;
	createdAt: Date;
	endedAt: Date | null;
};

/** `checkout`: the hosted page, until the payer has chosen. */
export type Channel = (typeof channels)[number];

const channels = ["push", "card", "bank_transfer", "mobile_money", "ussd", "checkout"] as const;

/** Whether a word is a channel. */
export const isChannel = (word: string | undefined): word is Channel =>
	(channels as readonly (string | undefined)[]).includes(word);

export type AttemptStatus =
	| "new"
	| "submitting"
	| "awaiting"
	| "rejected"
	| "unknown"
	| "expired"
	| "failed"
	| "cancelled"
	| "succeeded";

/** A status is never replaced by one of the same or a lower rank: late evidence cannot undo a success. */
export const rankOf: Readonly<Record<AttemptStatus, number>> = {
	new: 0,
	submitting: 1,
	awaiting: 2,
	unknown: 3,
	expired: 4,
	rejected: 5,
	failed: 5,
	cancelled: 5,
	succeeded: 9,
};

/** Whether the gateway may still collect it. */
export const isLive = ({ status }: Pick<Attempt, "status">): boolean => rankOf[status] < rankOf.expired;

/** What the gateway knows an attempt by, besides our reference. */
export type GatewayIds = {
	merchantRequestId?: string;
	checkoutRequestId?: string;
	accessCode?: string;
	authorizationUrl?: string;
};

/** What an attempt becomes. */
export type AttemptOutcome = { status: AttemptStatus; failureCode: string | null };
