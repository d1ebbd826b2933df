import type { Database } from "@lango/postgres";
import { closeAllExplained } from "../../exceptions/exception.store.ts";
import { raiseException } from "../../exceptions/raise-exception.ts";
import { listParts } from "../../holds/hold.store.ts";
import { toMinor } from "../../money/amount.ts";
import { listIntentsOf } from "../../payments/payment.store.ts";
import { receiptFailures } from "../../receipts/failures.ts";
import { recordMoneyOut } from "../../receipts/money-out.store.ts";
import type { Receipt } from "../../receipts/receipt.ts";
import {
	findRefundByKey,
	nameRefund,
	recordRefund,
	type StoredRefund,
	updateRefund,
} from "../../refunds/refund.store.ts";
import { isRefundOpen, type Refund } from "../../refunds/refund.ts";
import { recordRefundChanged } from "../../refunds/refund-events.ts";
import { recordEvidence } from "../evidence/evidence.store.ts";
import type { RefundEvidence, RefundRequest, RefundSaid } from "../evidence/refund-evidence.ts";
import { chargeRefund } from "./charge-refund.ts";
import { type Holding, holdMoney, releaseMoney, returnMoney } from "./hold-money.ts";
import { lockRefundOf, lockReturnable } from "./lock-returnable.ts";
import { refundOutcomeOf } from "./refund-outcome.ts";
import { requireReturnable } from "./require-returnable.ts";
import { leftOf, type Returnable, takeParts } from "./take-parts.ts";

/**
 * Records a refund that somebody asks for, or that was made at the gateway, and holds its money. The same
 * Idempotency-Key again changes nothing. Call it inside the tenant. Throws what `requireReturnable` throws,
 * and `receipt_not_found` and `balance_insufficient`.
 */
export async function openRefund(tx: Database, request: RefundRequest): Promise<void> {
	const { tenantId, newRefund, of, mayBeDebt, source, sourceId, at } = request;
	const returnable = await lockReturnable(tx, tenantId, newRefund.receiptId);
	if (returnable === undefined) throw receiptFailures.receipt_not_found();
	if (await isKnown(tx, newRefund)) return;
	const { receipt } = returnable;
	const {
		paymentId,
		method,
		amountMinor = leftOf(returnable, { of, paymentId: newRefund.paymentId }),
	} = newRefund;
	if (newRefund.origin === "request")
		await requireReturnable(tx, returnable, { of, paymentId, amountMinor, method });
	const recorded = await recordRefund(tx, {
		...{ ...newRefund, tenantId, amountMinor, currency: receipt.currency, createdAt: at },
	});
	const about = { objectKind: "refund", objectId: recorded.id } as const;
	const said = { kind: "requested", amountMinor, of };
	const evidenceId = await recordEvidence(tx, { tenantId, ...about, source, sourceId, said, at });
	const parts = takeParts(returnable, { of, amountMinor, paymentId });
	await holdMoney(tx, { ...about, receipt, parts, mayBeDebt, evidenceId, now: at });
	await publish(tx, recorded, at);
}

/** Whether the same request came before: it waited for the lock of the receipt. */
async function isKnown(tx: Database, { createdBy, idempotencyKey: key }: RefundRequest["newRefund"]) {
	return key !== undefined && (await findRefundByKey(tx, { createdBy, key })) !== undefined;
}

/**
 * Applies a statement about a refund: its money is given back if it failed, and taken out of the books if
 * it was processed. Call it inside the tenant. Throws an Error if the refund does not exist, which is a
 * bug.
 */
export async function applyToRefund(tx: Database, evidence: RefundEvidence): Promise<void> {
	const { tenantId, refundId: id, refundSaid: said, source, sourceId, at } = evidence;
	const { refund, returnable } = await lockRefundOf(tx, tenantId, id);
	if (refund === undefined || returnable === undefined) throw new Error(`the refund ${id} does not exist`);
	const about = { objectKind: "refund", objectId: id } as const;
	const evidenceId = await recordEvidence(tx, { tenantId, ...about, source, sourceId, said, at });
	await nameRefund(tx, { id, ...namesIn(said) });
	await raiseOdd(tx, refund, { said, now: at });
	const { receipt } = returnable;
	const change = refundOutcomeOf(refund, said);
	const isProcessed = (change ?? refund).status === "processed" && said.kind === "processed";
	if (isProcessed && source !== "operator") await keepReceipt(tx, { refund, receipt, said, at });
	const charging = { refund, receipt, said, source, evidenceId, at };
	if (change === undefined) {
		await contradict(tx, charging);
		return chargeRefund(tx, charging);
	}
	const holding: Holding = { ...about, receipt, evidenceId, now: at };
	const changed = await updateRefund(tx, id, { change, now: at });
	if (change.status === "failed") await releaseMoney(tx, holding);
	if (change.status === "processed") await payOut(tx, { refund, returnable, holding });
	await chargeRefund(tx, charging);
	if (!isRefundOpen(changed)) await closeEnded(tx, id, at);
	await publish(tx, changed, at);
}

/** The gateway takes another amount, or says a state that is not known. */
async function raiseOdd(
	tx: Database,
	refund: Refund,
	{ said, now }: { said: RefundSaid; now: Date },
): Promise<void> {
	if (said.kind === "accepted") await raiseDifference(tx, refund, { said, now });
	if (said.kind === "pending" && said.oddWord !== undefined)
		await raiseOddWord(tx, refund, { word: said.oddWord, now });
}

/** Closes what a person had to look at until a refund ended. */
const closeEnded = (tx: Database, id: string, now: Date): Promise<void> =>
	closeAllExplained(
		tx,
		(["missing_there", "status"] as const).map((of) => ({
			...{ class: of, subject: `refund ${id}`, receiptId: undefined },
		})),
		now,
	);

type Contradicting = { refund: Refund; said: RefundSaid; source: RefundEvidence["source"]; at: Date };

/**
 * The gateway says that a refund has failed which was booked as processed, for example by the word of an
 * operator: that stays, and a person has to look.
 */
async function contradict(tx: Database, { refund, said, source, at: now }: Contradicting): Promise<void> {
	if (said.kind !== "failed" || source === "operator" || refund.status !== "processed") return;
	const {
		tenantId,
		id,
		receiptId: receipt_id,
		amountMinor,
		currency,
		status,
		gatewayRef: refund_ref,
	} = refund;
	await raiseException(tx, {
		...{ class: "status", subject: `refund ${id} failed`, amountMinor, currency, now },
		ours: {
			...{ tenant_id: tenantId, refund_id: id, receipt_id, status },
			...{ amount_minor: toMinor(amountMinor), currency },
		},
		theirs: { refund: refund_ref, status: "failed", code: said.code },
	});
}

/** The gateway says a state that the treasury does not know: it counts as pending. */
async function raiseOddWord(
	tx: Database,
	{ tenantId, id, receiptId: receipt_id, amountMinor, currency }: Refund,
	{ word, now }: { word: string; now: Date },
): Promise<void> {
	await raiseException(tx, {
		...{ class: "status", subject: `refund ${id}`, amountMinor, currency, now },
		ours: { tenant_id: tenantId, refund_id: id, receipt_id, amount_minor: toMinor(amountMinor), currency },
		theirs: { status: word },
	});
}

/** The gateway returns another amount than what is held: the money has left, and a person has to look. */
async function raiseDifference(
	tx: Database,
	{ tenantId, id, receiptId: receipt_id, amountMinor, currency }: Refund,
	{ said, now }: { said: Extract<RefundSaid, { kind: "accepted" }>; now: Date },
): Promise<void> {
	if (said.amountMinor === undefined || said.amountMinor === amountMinor) return;
	await raiseException(tx, {
		...{ class: "amount", subject: `refund ${id}`, amountMinor: said.amountMinor, currency, now },
		ours: { tenant_id: tenantId, refund_id: id, receipt_id, amount_minor: toMinor(amountMinor), currency },
		theirs: { refund: said.gatewayRef ?? null, amount_minor: toMinor(said.amountMinor) },
	});
}

type Returned = {
	refund: StoredRefund;
	receipt: Receipt;
	said: Extract<RefundSaid, { kind: "processed" }>;
	at: Date;
};

/** The gateway gives what it returned a number of its own, perhaps with a later statement. */
async function keepReceipt(tx: Database, { refund, receipt: of, said, at }: Returned): Promise<void> {
	const number = said.gatewayRef ?? refund.gatewayRef;
	if (number === null) return;
	const { tenantId, id, method, amountMinor, currency } = refund;
	const { gateway, shortcode, custody, channel } = of;
	await recordMoneyOut(tx, {
		...{ tenantId, gateway, shortcode, custody, channel, amountMinor, currency, receipt: number },
		kind: method === "payout" ? "payout" : "reversal",
		...{ moved: { kind: "refund", id }, occurredAt: at, now: at },
	});
}

function namesIn(said: RefundSaid): { gatewayRef?: string; originatorId?: string } {
	if (said.kind !== "accepted" && said.kind !== "processed") return {};
	const { gatewayRef, originatorId } = { originatorId: undefined, ...said };
	return {
		...(gatewayRef !== undefined && { gatewayRef }),
		...(originatorId !== undefined && { originatorId }),
	};
}

type Paying = { refund: StoredRefund; returnable: Returnable; holding: Holding };

/** One that failed before has no hold any more: it is taken again, as debt if the money is used. */
async function payOut(tx: Database, { refund, returnable, holding }: Paying): Promise<void> {
	if (refund.status === "failed") {
		const { amountMinor, paymentId } = refund;
		const of = paymentId === null ? "whole" : "payment";
		const parts = takeParts(returnable, { of, amountMinor, paymentId });
		await holdMoney(tx, { ...holding, parts, mayBeDebt: true, isLate: true });
	}
	await returnMoney(tx, holding);
}

async function publish(tx: Database, refund: Refund, now: Date): Promise<void> {
	const parts = await listParts(tx, refund.id);
	const operationId = await operationOf(tx, parts);
	await recordRefundChanged(tx, { refund, operationId, now });
}

/** The operation whose payment is returned, if it is of one only. Call it inside the tenant. */
export async function operationOf(
	tx: Database,
	parts: ReadonlyArray<{ paymentId: string | null }>,
): Promise<string | undefined> {
	const paymentIds = parts.flatMap(({ paymentId }) => paymentId ?? []);
	const operations = await listIntentsOf(tx, paymentIds);
	const [only] = operations;
	return operations.length === 1 ? only?.operationId : undefined;
}
