/** A question to the mobile-money gateway. Its answer comes by a callback. */
export type GatewayQuery = {
	tenantId: string;
	id: string;
	status: QueryStatus;
	/** The shortcode that asks. */
	shortcode: string;
	about: QueryAbout;
	/** What the gateway answered; undefined until then. */
	result: QueryResult | undefined;
	/** Why the gateway did not answer the question. */
	failureCode: string | undefined;
	/** The ids that the gateway gave the question. */
	gatewayOriginatorId: string | undefined;
	gatewayConversationId: string | undefined;
	createdBy: { kind: string; id: string };
	createdAt: Date;
	endedAt: Date | undefined;
};

/**
 * What is asked: the balances, or the state of a transaction, by its receipt or by our id of its request.
 */
export type QueryAbout =
	| { kind: "balance" }
	| { kind: "status"; receipt: string }
	| { kind: "status"; originatorId: string };

/**
 * `failed`: the gateway says that it did not answer, so nothing is known. `unknown`: no answer came, and
 * one
 * may still come.
 */
export const queryStatuses = ["submitting", "awaiting", "unknown", "failed", "answered"] as const;
export type QueryStatus = (typeof queryStatuses)[number];

/** An answer as it is stored and shown. */
export type QueryResult = BalanceAnswer | StatusAnswer;

/** The balances of the accounts of a shortcode. */
export type BalanceAnswer = {
	accounts: ReadonlyArray<{
		name: string;
		currency: string;
		current_minor: number;
		available_minor: number;
	}>;
	finished_at: string | null;
};

/** The state of a transaction, in the gateway's word. */
export type StatusAnswer = {
	status: string | null;
	receipt: string | null;
	amount_minor: number | null;
	shortcode: string | null;
	finished_at: string | null;
};

const answerMs = 10 * 60_000;

/**
 * The status as it is shown: a question without an answer after ten minutes is unknown, also if the process
 * ended before it read the gateway's reply. Pure.
 */
export const statusAt = ({ status, createdAt }: GatewayQuery, now: Date): QueryStatus =>
	(status === "submitting" || status === "awaiting") && createdAt.getTime() + answerMs <= now.getTime()
		? "unknown"
		: status;

/** What the accounts of a shortcode hold together: charges that are not settled lower it. Pure. */
export const sumOf = (accounts: BalanceAnswer["accounts"], currency: string): bigint =>
	accounts
		.filter((one) => one.currency === currency)
		.reduce((sum, one) => sum + BigInt(one.current_minor), 0n);
