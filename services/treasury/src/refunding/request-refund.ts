import { type AuditEntry, recordAudit } from "@lango/access";
import { chassisFailures } from "@lango/chassis";
import { uuidV7 } from "@lango/events";
import { enqueueJob } from "@lango/jobs";
import { type Database, inTenant } from "@lango/postgres";
import { requireNotHalted } from "../halts/require-not-halted.ts";
import { retryConflicts } from "../ledger/retry-conflicts.ts";
import { toMinor } from "../money/amount.ts";
import { applyOutcome } from "../outcomes/apply-outcome.ts";
import type { ReturnedOf } from "../outcomes/evidence/refund-evidence.ts";
import { paymentFailures } from "../payments/failures.ts";
import { fingerprintOf } from "../payments/open-intent.ts";
import { findTradePayment } from "../payments/payment.store.ts";
import { receiptFailures } from "../receipts/failures.ts";
import { findReceipt, lockReceiptByNumber } from "../receipts/receipt.store.ts";
import { type Receipt, unallocatedOf } from "../receipts/receipt.ts";
import { ladders } from "../recovery/ladder.ts";
import {
	findRefund,
	findRefundByKey,
	type RefundCreator,
	type StoredRefund,
} from "../refunds/refund.store.ts";
import type { Treasury } from "../treasury.ts";
import { chooseMethod } from "./choose-method.ts";

/** A refund that a person or a program asks for. */
export type RefundAsked = {
	tenantId: string;
	/** Of a payment, of what a receipt has beside payments, or by a reversal of all of it, by its number. */
	of: { paymentId: string } | { receiptId: string } | { number: string };
	/** Undefined: all that is left. */
	amountMinor: bigint | undefined;
	reason: string;
	customerNote: string | null;
	/** The platform owner may return what was paid to the platform, and what becomes debt of the tenant. */
	isOperator: boolean;
	createdBy: RefundCreator;
	idempotencyKey: string;
	by: Pick<AuditEntry, "actor" | "requestId" | "address">;
};

/**
 * Records a refund and holds its money; a job sends it to the gateway. The same request with its
 * Idempotency-Key returns the refund as it is now. Throws `idempotency_key_reused`, `halted`,
 * `payment_not_found`, `receipt_not_found`, `forbidden`, `custody_differs`, what `chooseMethod`
 * throws, and what `applyOutcome` throws of a refund.
 */
export async function requestRefund(
	domain: Treasury,
	asked: RefundAsked,
): Promise<{ refund: StoredRefund; isNew: boolean }> {
	const { db, now } = domain;
	const { tenantId } = asked;
	const known = await inTenant(db, tenantId, (tx) => findKnown(tx, asked));
	if (known !== undefined) return { refund: known, isNew: false };
	await requireNotHalted(db, tenantId, "refunds");
	const target = await inTenant(db, tenantId, (tx) => findTarget(tx, asked));
	const at = now();
	const method = await chooseMethod(domain, target.receipt, { ...asked, isReversal: "number" in asked.of });
	return retryConflicts(() =>
		inTenant(db, tenantId, async (tx) => {
			const id = uuidV7(at);
			await applyOutcome(tx, {
				...{ tenantId, of: target.of, mayBeDebt: asked.isOperator, at },
				...{ source: "request", sourceId: asked.createdBy.id },
				newRefund: { ...target.refunded, ...toRefund(asked), id, method, nextCheckAt: firstCheck(at) },
			});
			const made = await findRefund(tx, id);
			if (made !== undefined) {
				await requireSameNumber(tx, made, asked);
				return { refund: await announce(tx, made, asked), isNew: true };
			}
			const before = await findKnown(tx, asked);
			if (before === undefined) throw new Error("a refund was not recorded, and is not known");
			return { refund: before, isNew: false };
		}),
	);
}

/** A statement may have shown meanwhile that the number is of another payment. */
async function requireSameNumber(tx: Database, { receiptId }: StoredRefund, { of }: RefundAsked) {
	if ("number" in of && (await findReceipt(tx, receiptId))?.receipt !== of.number)
		throw receiptFailures.receipt_not_found();
}

const firstCheck = (at: Date): Date => new Date(at.getTime() + ladders.refund[0] * 1000);

const toRefund = (asked: RefundAsked) => {
	const { createdBy, idempotencyKey, reason, customerNote, amountMinor } = asked;
	const fingerprint = fingerprintOf(requestOf(asked));
	return {
		...({ origin: "request", gatewayRef: null } as const),
		...{ amountMinor, reason, customerNote, createdBy, idempotencyKey, fingerprint },
	};
};

/** What the same Idempotency-Key must ask for again. */
const requestOf = ({ of, amountMinor, reason, customerNote }: RefundAsked): object => ({
	...{ ...of, reason, customerNote },
	amountMinor: amountMinor === undefined ? null : toMinor(amountMinor),
});

async function findKnown(tx: Database, asked: RefundAsked): Promise<StoredRefund | undefined> {
	const { createdBy, idempotencyKey: key } = asked;
	const found = await findRefundByKey(tx, { createdBy, key });
	if (found !== undefined && !found.fingerprint.equals(fingerprintOf(requestOf(asked))))
		throw paymentFailures.idempotency_key_reused();
	return found;
}

type Target = {
	receipt: Receipt;
	refunded: { receiptId: string; paymentId: string | null };
	of: ReturnedOf;
};

async function findTarget(tx: Database, { of, isOperator }: RefundAsked): Promise<Target> {
	if ("paymentId" in of) {
		const payment = await findTradePayment(tx, of.paymentId);
		const receipt = payment && (await findReceipt(tx, payment.receiptId));
		if (payment === undefined || receipt === undefined) throw paymentFailures.payment_not_found();
		return { receipt, refunded: { receiptId: receipt.id, paymentId: payment.id }, of: "payment" };
	}
	if ("number" in of) return findReversible(tx, of.number, isOperator);
	const receipt = await findReceipt(tx, of.receiptId);
	if (receipt?.kind !== "collection") throw receiptFailures.receipt_not_found();
	const refunded = { receiptId: receipt.id, paymentId: null };
	if (unallocatedOf(receipt) > 0n || receipt.platformMinor === 0n)
		return { receipt, refunded, of: "suspense" };
	if (!isOperator) throw chassisFailures.forbidden();
	return { receipt, refunded, of: "platform" };
}

/** A reversal is of any mobile-money receipt; what was paid to the platform only its owner reverses. */
async function findReversible(tx: Database, number: string, isOperator: boolean): Promise<Target> {
	const receipt = await lockReceiptByNumber(tx, { gateway: "mobile_money", receipt: number });
	if (receipt === undefined) throw receiptFailures.receipt_not_found();
	if (receipt.custody === "platform" && !isOperator) throw receiptFailures.custody_differs();
	return { receipt, refunded: { receiptId: receipt.id, paymentId: null }, of: "whole" };
}

async function announce(tx: Database, refund: StoredRefund, { by }: RefundAsked): Promise<StoredRefund> {
	const { id, tenantId, amountMinor, reason, createdAt: at } = refund;
	await enqueueJob(tx, { name: "refunds.submit" }, { id, tenantId });
	await recordAudit(tx, {
		...{ tenantId, at, ...by, action: "refund.requested", subject: id },
		detail: { receipt_id: refund.receiptId, amount_minor: toMinor(amountMinor), reason },
	});
	return refund;
}
