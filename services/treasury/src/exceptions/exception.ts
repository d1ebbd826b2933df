/** Two sources that disagree about money, or a state that a person has to look at. */
export type Exception = {
	id: string;
	class: ExceptionClass;
	/** What it is about: one exception of each class. */
	subject: string;
	amountMinor: bigint;
	currency: string;
	/** What the treasury has recorded, and what the gateway says. */
	ours: object;
	theirs: object;
	/** The journal that would explain it; undefined: no journal would, or it was posted already. */
	proposed: Proposal | undefined;
	/** The settlement, and the line of it, that wait for a decision. */
	settlementId: string | undefined;
	lineId: string | undefined;
	state: ExceptionState;
	raisedAt: Date;
	/** What an operator decided; undefined while it is open. */
	resolution: Resolution | undefined;
};

/** A journal that an operator may post, of a tenant or of the platform alone, as it is stored. */
export type Proposal = {
	tenant_id: string | null;
	purpose: "variance" | "correction" | "suspense";
	/** Of another currency than the exception. */
	currency?: string;
	/** Of purpose `suspense`: the charge that is counted, with a receipt. */
	charge?: ProposedCharge;
	/** Of purpose `variance`: the charge that counts as settled, although it was not paid out. */
	receipt_id?: string;
	lines: ReadonlyArray<{
		side: "debit" | "credit";
		owner: "tenant" | "platform";
		code: string;
		amount_minor: number;
	}>;
};

/** A charge that the treasury has not counted, as the gateway states it. */
export type ProposedCharge = {
	transaction: string;
	reference: string;
	amount_minor: number;
	fee_minor?: number;
	currency: string;
	channel?: string;
	paid_at?: string;
};

/** `posted`: the proposed journal explains it. `matched`: the named receipts do. */
export const resolutions = ["waived", "posted", "matched"] as const;

export type Resolution = {
	as: (typeof resolutions)[number];
	because: string;
	receiptIds: readonly string[];
	by: string;
	at: Date;
};

/**
 * What differs; `duplicate`: one payment was counted twice; `missing_here`: the treasury does not know it;
 * `missing_there`: the gateway says nothing; `status`: it says a state that the treasury does not know,
 * denies what was booked, sends no payout, or cannot stop a card subscription; `balance`: there is too little
 * for a payout, or a balance differs; `late`: what is expected did not come in time.
 */
export const exceptionClasses = [
	"amount",
	"balance",
	"currency",
	"duplicate",
	"fee",
	"late",
	"missing_here",
	"missing_there",
	"status",
] as const;

export type ExceptionClass = (typeof exceptionClasses)[number];
export type ExceptionState = "open" | "closed";
