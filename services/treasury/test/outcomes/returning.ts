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
import type { DisputeSaid, RefundSaid } from "../../src/outcomes/evidence/refund-evidence.ts";
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
	/** Asks for a refund; returns the code of the refusal. */
	refund(amountMinor: bigint, isOperator?: boolean): Promise<string | undefined>;
	/** Applies a statement to one of its refunds, if there are any. */
	say(which: number, refundSaid: RefundSaid): Promise<void>;
	dispute(gatewayId: string, said: Pick<DisputeSaid, "status" | "amountMinor">): Promise<void>;
	/** A settlement releases what is pending of it. */
	release(): Promise<void>;
	/** What is available is paid out. Returns how much of it is paid. */
	payOut(): Promise<bigint>;
};

export async function openCardMoney({ db, clock }: Counter, tenantId: string): Promise<CardMoney> {
	const receipt = await charge(db, await addTrade(db, tenantId));
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
	return {
		receipt,
		refund: async (amountMinor, isOperator = false) => {
			const newRefund = {
				...{ id: randomUUID(), receiptId: receipt.id, paymentId: payment.id, origin: "request" as const },
				...{
					method: "card" as const,
					amountMinor,
					reason: "A mistake",
					customerNote: null,
					gatewayRef: null,
				},
				...{ nextCheckAt: null, createdBy: { kind: "user", id: "amina" }, idempotencyKey: undefined },
				fingerprint: Buffer.alloc(0),
			};
			try {
				await inside((tx) =>
					applyOutcome(tx, { ...about, newRefund, of: "payment", mayBeDebt: isOperator, at: clock.now }),
				);
				return undefined;
			} catch (error) {
				if (error instanceof Failure) return error.code;
				throw error;
			}
		},
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
