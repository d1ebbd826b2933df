import { randomUUID } from "node:crypto";
import { Failure } from "@lango/chassis";
import { type Database, inTenant } from "@lango/postgres";
import { postRaising } from "../../src/ledger/post-raising.ts";
import type { Posting } from "../../src/ledger/postings/posting.ts";
import { release } from "../../src/ledger/postings/settling.ts";
import { retryConflicts } from "../../src/ledger/retry-conflicts.ts";
import { applyOutcome } from "../../src/outcomes/apply-outcome.ts";
import { recordEvidence } from "../../src/outcomes/evidence/evidence.store.ts";
import type { PayoutSaid } from "../../src/outcomes/evidence/payout-evidence.ts";
import type { DisputeSaid, RefundRequest, RefundSaid } from "../../src/outcomes/evidence/refund-evidence.ts";
import { fundsOf } from "../../src/outcomes/payouts/funds.store.ts";
import { releasePayments } from "../../src/outcomes/settlements/settled.store.ts";
import { listPaymentsOf } from "../../src/payments/payment.store.ts";
import { lockReceipt } from "../../src/receipts/receipt.store.ts";
import type { Receipt } from "../../src/receipts/receipt.ts";
import { listRefundsOf } from "../../src/refunds/refund.store.ts";
import { addPayout } from "../payouts/add-payout.ts";
import { addTrade, charge } from "../receive.ts";
import type { Counter } from "./counter.ts";

/** A card payment of 1,000.00 shillings, and what may happen to its money. */
export type CardMoney = {
	receipt: Receipt;
	/** Asks for a refund of the payment; returns the code of the refusal. */
	refund(amountMinor: bigint, isOperator?: boolean): Promise<string | undefined>;
	/** Asks for a refund of what its receipt has beside the payment; returns the code of the refusal. */
	refundExcess(amountMinor: bigint): Promise<string | undefined>;
	/** Applies a statement to one of its refunds, if there are any. */
	say(which: number, refundSaid: RefundSaid): Promise<void>;
	dispute(gatewayId: string, said: Pick<DisputeSaid, "status" | "amountMinor">): Promise<void>;
	/** A settlement releases what is pending of it. */
	release(): Promise<void>;
	/** What is available is paid out. Returns how much of it is paid. */
	payOut(): Promise<bigint>;
};

/** Counts such a payment; with `excessMinor` the payer paid so much more. */
export async function openCardMoney(
	{ db, clock }: Counter,
	tenantId: string,
	excessMinor = 0n,
): Promise<CardMoney> {
	const trade = await addTrade(db, tenantId);
	const receipt = await charge(db, trade, { amountMinor: trade.amountMinor + excessMinor });
	const [payment] = await inTenant(db, tenantId, (tx) => listPaymentsOf(tx, [receipt.id]));
	if (payment === undefined) throw new Error("the charge paid nothing");
	type Work = Parameters<typeof inTenant<void>>[2];
	const inside = (work: Work) => retryConflicts(() => inTenant(db, tenantId, work));
	const about = { tenantId, source: "query", sourceId: undefined } as const;
	/** A journal of what the tests themselves do, with its evidence. */
	const post = async (tx: Database, posting: Posting) => {
		const said = { ...about, objectKind: "receipt" as const, objectId: receipt.id, said: {}, at: clock.now };
		const evidenceId = await recordEvidence(tx, said);
		return { ...posting, source: { type: "test", id: randomUUID() }, evidenceId, at: clock.now };
	};
	const ask = ({ paymentId, amountMinor, ...more }: AskedRefund) =>
		inside((tx) => {
			const newRefund = { ...newRefundOf(receipt), paymentId, amountMinor };
			return applyOutcome(tx, { ...about, newRefund, ...more, at: clock.now });
		}).then(() => undefined, codeOf);
	return {
		receipt,
		refund: (amountMinor, isOperator = false) =>
			ask({ of: "payment", paymentId: payment.id, amountMinor, mayBeDebt: isOperator }),
		refundExcess: (amountMinor) => ask({ of: "suspense", paymentId: null, amountMinor, mayBeDebt: false }),
		say: (which, refundSaid) =>
			inside(async (tx) => {
				const refunds = await listRefundsOf(tx, receipt.id);
				const refund = refunds[which % Math.max(1, refunds.length)];
				if (refund === undefined) return;
				await applyOutcome(tx, { ...about, refundId: refund.id, refundSaid, at: clock.now });
			}),
		dispute: (gatewayId, said) =>
			inside((tx) =>
				applyOutcome(tx, {
					...{ ...about, receiptId: receipt.id, at: clock.now },
					dispute: { ...said, gatewayId, resolution: null, category: null, dueAt: undefined },
				}),
			),
		release: () =>
			inside(async (tx) => {
				await lockReceipt(tx, receipt.id);
				const released = await releasePayments(tx, receipt.id, clock.now);
				const { currency } = receipt;
				for (const { pendingMinor: amountMinor } of released)
					await postRaising(tx, tenantId, [await post(tx, release({ amountMinor, currency }))]);
			}),
		payOut: () => payOutAll({ db }, tenantId),
	};
}

type AskedRefund = Pick<RefundRequest, "of" | "mayBeDebt"> & {
	paymentId: string | null;
	amountMinor: bigint;
};

/** A refund by card that somebody of the tenant asks for. */
const newRefundOf = ({ id: receiptId }: Receipt) => ({
	...{ id: randomUUID(), receiptId, origin: "request" as const, method: "card" as const },
	...{ reason: "A mistake", customerNote: null, gatewayRef: null, nextCheckAt: null },
	...{ createdBy: { kind: "user", id: "amina" }, idempotencyKey: undefined },
	fingerprint: Buffer.alloc(0),
});

/** The code of a refusal; any other error is thrown. */
function codeOf(error: unknown): string {
	if (error instanceof Failure) return error.code;
	throw error;
}

const paid: readonly PayoutSaid[] = [
	{ kind: "approved" },
	{ kind: "submitted" },
	{ kind: "in_flight" },
	{ kind: "paid" },
];

/**
 * Pays out what is available by a transfer that succeeds, less the fees that are due. Returns how much is
 * paid: nothing if the fees are as much as that.
 */
export async function payOutAll({ db }: Pick<Counter, "db">, tenantId: string): Promise<bigint> {
	const funds = await inTenant(db, tenantId, (tx) => fundsOf(tx, "KES"));
	const { availableMinor: grossMinor, feesDueMinor } = funds;
	if (grossMinor <= feesDueMinor) return 0n;
	return (await addPayout(db, tenantId, { grossMinor, feesDueMinor, said: paid })).netMinor;
}
