import { isAdjustmentWaiting } from "../adjustments/adjustment.store.ts";
import { adjustmentFailures } from "../adjustments/failures.ts";
import { closeException } from "../exceptions/exception.store.ts";
import type { Exception, Resolution } from "../exceptions/exception.ts";
import { auditAction, type Operator } from "../operator.ts";
import { receiptFailures } from "../receipts/failures.ts";
import type { Treasury } from "../treasury.ts";
import { requestAdjustment } from "./adjust.ts";
import { lockExplained, waiveLineOf } from "./decide-line.ts";
import { type Explaining, findExplaining } from "./explaining-receipt.store.ts";
import { reconciliationFailures } from "./failures.ts";
import { matchReceipts } from "./match-receipts.ts";

type Decision = Pick<Resolution, "as" | "because" | "receiptIds">;

/**
 * Resolves an exception. With `matched` the named receipts explain it, and with `waived` nothing is settled,
 * both at once; with `posted` its proposed journal becomes an adjustment, and the exception stays open until
 * another operator has approved that. While one waits, nothing else resolves it, nor that no settlement paid
 * out a charge. Throws `exception_not_found`, `exception_closed`, `adjustment_waiting`, `charge_unsettled`,
 * `nothing_proposed`, `receipt_not_found` and `receipts_differ`.
 */
export async function resolveException(
	{ db, now }: Pick<Treasury, "db" | "now">,
	id: string,
	{ by, ...decision }: Decision & { by: Operator },
): Promise<{ adjustmentId: string | undefined }> {
	const receipts = await receiptsOf(db, decision);
	return db.transaction(async (tx) => {
		const exception = await lockExplained(tx, id, { isInTenant: false });
		requireOpen(exception);
		if (await isAdjustmentWaiting(tx, id)) throw adjustmentFailures.adjustment_waiting();
		const at = now();
		const detail = { as: decision.as, because: decision.because };
		await auditAction(tx, by, { action: "exception.resolved", subject: id, detail, at });
		if (decision.as === "posted") {
			const asked = { ...proposedOf(exception), because: decision.because, exceptionId: id };
			return { adjustmentId: await requestAdjustment(tx, asked, { by, now: at }) };
		}
		// It would be pending for ever.
		if (exception.proposed?.receipt_id !== undefined) throw reconciliationFailures.charge_unsettled();
		await closeException(tx, id, { ...decision, by: by.actor.id, at });
		if (decision.as === "matched") await matchReceipts(tx, exception, { receipts, now: at });
		else await waiveLineOf(tx, exception);
		return { adjustmentId: undefined };
	});
}

function requireOpen(exception: Exception | undefined): asserts exception is Exception {
	if (exception === undefined) throw reconciliationFailures.exception_not_found();
	if (exception.state === "closed") throw reconciliationFailures.exception_closed();
}

async function receiptsOf(db: Treasury["db"], { as, receiptIds }: Decision): Promise<Explaining[]> {
	const ids = as === "matched" ? [...new Set(receiptIds)] : [];
	const receipts = await findExplaining(db, ids);
	if (receipts.length < ids.length) throw receiptFailures.receipt_not_found();
	return receipts;
}

function proposedOf({ proposed, currency: own }: Exception) {
	if (proposed === undefined) throw reconciliationFailures.nothing_proposed();
	const { tenant_id, purpose, currency = own } = proposed;
	const lines = proposed.lines.map(({ amount_minor, ...line }) => ({
		...{ ...line, amountMinor: BigInt(amount_minor) },
	}));
	return { tenantId: tenant_id ?? undefined, purpose, currency, lines };
}
