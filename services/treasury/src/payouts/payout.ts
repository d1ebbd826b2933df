/** What pays: the platform's transfer balance, or the tenant's own shortcode. */
export type PayoutRail = "card_gateway" | "mobile_money";

/** The receiver: a recipient at the card gateway, or by the tenant's own shortcode. */
export type PayoutKind = "recipient" | "customer" | "personal_till" | "business" | "own_working";

export const payoutStatuses = [
	"awaiting_approval",
	"approved",
	"submitting",
	"unknown",
	"needs_otp",
	"in_flight",
	"failed",
	"rejected",
	"cancelled",
	"paid",
	"reversed",
] as const;
export type PayoutStatus = (typeof payoutStatuses)[number];

/** The order of the statuses (design section 6). */
export const rankOf: Readonly<Record<PayoutStatus, number>> = {
	awaiting_approval: 0,
	approved: 1,
	submitting: 2,
	unknown: 3,
	needs_otp: 4,
	in_flight: 5,
	failed: 8,
	rejected: 8,
	cancelled: 8,
	paid: 9,
	reversed: 10,
};

/** Whether a payout has ended. Late evidence may still change it. */
export const isEnded = (status: PayoutStatus): boolean => rankOf[status] >= rankOf.failed;

/** Whether the gateway may have it, and its end is not known. */
export const isSent = (status: PayoutStatus): boolean =>
	rankOf[status] >= rankOf.submitting && !isEnded(status);

/** What begins the subject of the exception of a transfer that was booked as paid and has failed. */
export const failedTransfer = "failed transfer ";

/** How long after it was sent a transfer waits for its one-time password until a person has to look. */
export const otpSeconds = 25 * 60;

/** A line of a payout. The gross amount is positive, and fees are negative: their sum is what is paid. */
export type PayoutLine = { kind: "gross" | "collection_fee" | "transfer_fee"; amountMinor: bigint };

/** Money out. */
export type Payout = {
	tenantId: string;
	id: string;
	batchId: string | null;
	rail: PayoutRail;
	kind: PayoutKind;
	recipientId: string | null;
	/** The code of the recipient at the card gateway. */
	recipientCode: string | null;
	/** The tenant's own shortcode that pays; null at the card gateway. */
	shortcode: string | null;
	/** A number, masked. It has no name: the payout is kept for ten years. */
	toMasked: string;
	/**
	 * How the mobile-money gateway pays it, and what is written on it; null: the card gateway pays it, or the
	 * tenant was deleted.
	 */
	instruction: { command: string; account: string | null; remarks: string } | null;
	/** As long as the recipient is stored. */
	recipientName: string | null;
	grossMinor: bigint;
	netMinor: bigint;
	currency: string;
	lines: readonly PayoutLine[];
	status: PayoutStatus;
	/** What the gateway knows it by: `out-` and 32 hex digits. */
	reference: string;
	transferCode: string | null;
	conversationId: string | null;
	/** The number that the mobile-money gateway gave it. */
	receipt: string | null;
	failureCode: string | null;
	/** What the gateway charged for it: the platform, or the shortcode that paid. Null until it says so. */
	feeMinor: bigint | null;
	/** How often it was sent. */
	sends: number;
	submittedAt: Date | null;
	/** When it was booked as paid, also if its money came back since. */
	paidAt: Date | null;
	nextCheckAt: Date | null;
	checks: number;
	/** The gateway did not say what became of it: the platform owner has to decide. */
	needsReview: boolean;
	version: number;
	createdBy: { kind: string; id: string };
	fingerprint: Buffer;
	createdAt: Date;
	endedAt: Date | null;
};

/** What of the gross amount pays fees of collections: it was due already. */
export const collectionFeeOf = ({ lines }: Pick<Payout, "lines">): bigint =>
	-amountOf(lines, "collection_fee");

/** The fee of the transfer as the payout deducts it. */
export const transferFeeOf = ({ lines }: Pick<Payout, "lines">): bigint => -amountOf(lines, "transfer_fee");

const amountOf = (lines: readonly PayoutLine[], kind: PayoutLine["kind"]): bigint =>
	lines.find((line) => line.kind === kind)?.amountMinor ?? 0n;

/** Splits a gross amount into lines: all fees that are due are deducted, and the fee of the transfer. */
export function splitGross({
	grossMinor,
	feesDueMinor,
	transferFeeMinor,
}: {
	grossMinor: bigint;
	feesDueMinor: bigint;
	transferFeeMinor: bigint;
}): { lines: readonly PayoutLine[]; netMinor: bigint } {
	const lines: readonly PayoutLine[] = [
		{ kind: "gross" as const, amountMinor: grossMinor },
		{ kind: "collection_fee" as const, amountMinor: -feesDueMinor },
		{ kind: "transfer_fee" as const, amountMinor: -transferFeeMinor },
	].filter(({ amountMinor }) => amountMinor !== 0n);
	return { lines, netMinor: lines.reduce((sum, { amountMinor }) => sum + amountMinor, 0n) };
}
