import type { Adjustment } from "../../adjustments/adjustment.ts";
import type { Settlement, SettlementLine } from "../../settlements/settlement.ts";
import type { EvidenceSource } from "./evidence.ts";

/** A stored statement that the card gateway paid out a settlement. */
export type SettlementEvidence = {
	/** The platform owner. */
	tenantId: string;
	settlement: Settlement;
	source: EvidenceSource;
	/** The gateway's number of the settlement. */
	sourceId: string | undefined;
	at: Date;
};

/** What a settlement paid too little within the tolerance; negative: too much. */
export type VarianceEvidence = {
	/** The platform owner. */
	tenantId: string;
	variance: { settlementId: string; amountMinor: bigint; currency: string };
	source: EvidenceSource;
	/** The gateway's number of the settlement. */
	sourceId: string | undefined;
	at: Date;
};

/** A stored statement that a settlement contains a charge. */
export type LineEvidence = {
	/** The tenant of the receipt. */
	tenantId: string;
	line: SettlementLine;
	/** When the settlement was made. */
	settledAt: Date;
	source: EvidenceSource;
	/** The line. */
	sourceId: string | undefined;
	at: Date;
};

/** A stored decision of two operators that a charge is not paid out any more. */
export type UnpaidEvidence = {
	/** The tenant of the receipt. */
	tenantId: string;
	unpaid: { receiptId: string; adjustmentId: string };
	source: EvidenceSource;
	/** The operator who approved it. */
	sourceId: string | undefined;
	at: Date;
};

/** A stored decision of two operators. */
export type AdjustmentEvidence = {
	/** Its tenant, or the platform owner. */
	tenantId: string;
	adjustment: Adjustment;
	source: EvidenceSource;
	/** The operator who approved it. */
	sourceId: string | undefined;
	at: Date;
};
