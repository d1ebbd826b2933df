/** A comparison of what a gateway has with what the treasury has recorded. */
export type Run = {
	id: string;
	kind: RunKind;
	from: Date;
	to: Date;
	/** `failed`: it is tried again a few times. */
	state: RunState;
	/** Why it failed: a code of a failure, or `internal`. */
	failure: string | undefined;
	/**
	 * How many settlements, or charges, refunds and disputes, the gateway listed, balances were compared, or
	 * expectations are late.
	 */
	found: number | undefined;
	createdBy: string;
	createdAt: Date;
	endedAt: Date | undefined;
};

export const runStates = ["waiting", "done", "failed"] as const;

type RunState = (typeof runStates)[number];

/**
 * `settlements`: they are fetched. `transactions`: charges, receipts, refunds and disputes. `balances`:
 * transfers that were paid, the transfer balance, and shortcodes, which are asked. `expectations`: what is
 * late, and statements.
 */
export const runKinds = ["settlements", "transactions", "balances", "expectations"] as const;

export type RunKind = (typeof runKinds)[number];
