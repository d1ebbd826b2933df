/** A payer's claim at the bank that a payment was not due: a chargeback. */
export type Dispute = {
	tenantId: string;
	id: string;
	/** The id that the gateway gave it. */
	gatewayId: string;
	receiptId: string;
	/** Null: of a receipt that did not become one payment. */
	paymentId: string | null;
	amountMinor: bigint;
	currency: string;
	status: DisputeStatus;
	/** The gateway's word for how it ended. */
	resolution: string | null;
	category: string | null;
	/** Until when the platform owner has to answer at the gateway. */
	dueAt: Date | null;
	/** What the tenant says about it, for the platform owner. */
	note: string | null;
	/** What an operator says became of it, which another one has to say, too. */
	proposedAs: DisputeEnd | null;
	proposedBy: string | null;
	proposedAt: Date | null;
	version: number;
	createdAt: Date;
	endedAt: Date | null;
};

export const disputeStatuses = ["open", "reminded", "won", "lost"] as const;

export type DisputeStatus = (typeof disputeStatuses)[number];

export const disputeEnds = ["won", "lost"] as const satisfies readonly DisputeStatus[];

export type DisputeEnd = (typeof disputeEnds)[number];

/** After so long a dispute is overdue of which the gateway did not say when it is due. */
export const undatedMs = 60 * 86_400_000;

/** Whether its answer was due before a time, and it is not decided yet. Pure. */
export const isOverdue = (
	{ status, dueAt, createdAt }: Pick<Dispute, "status" | "dueAt" | "createdAt">,
	now: Date,
): boolean =>
	disputeRanks[status] < disputeRanks.won && (dueAt ?? new Date(createdAt.getTime() + undatedMs)) < now;

/** What names the exception of one that is overdue. Pure. */
export const overdueException = (id: string) => ({ class: "status", subject: `dispute ${id}` }) as const;

/** The order of the statuses. An update never lowers it. */
export const disputeRanks: Readonly<Record<DisputeStatus, number>> = {
	open: 0,
	reminded: 1,
	won: 9,
	lost: 9,
};
