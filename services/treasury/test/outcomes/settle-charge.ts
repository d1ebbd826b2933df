import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { retryConflicts } from "../../src/ledger/retry-conflicts.ts";
import { applyOutcome } from "../../src/outcomes/apply-outcome.ts";
import type { LineEvidence } from "../../src/outcomes/evidence/settling-evidence.ts";
import type { Receipt } from "../../src/receipts/receipt.ts";
import { saveSettlement } from "../../src/settlements/settlement.store.ts";
import { findLine, recordLines } from "../../src/settlements/settlement-line.store.ts";
import type { Counter } from "./counter.ts";

type Book = Pick<Counter, "db" | "clock">;

/** Settles a charge as a settlement does, with the fee that it states. */
export async function settleCharge(
	book: Book,
	receipt: Receipt,
	feeMinor: bigint | undefined,
): Promise<void> {
	const evidence = await storeLine(book, receipt, feeMinor);
	const { tenantId } = evidence;
	await retryConflicts(() => inTenant(book.db, tenantId, (tx) => applyOutcome(tx, evidence)));
}

/** Stores a settlement that contains a charge. Returns what it states of it. */
export async function storeLine(
	{ db, clock: { now } }: Book,
	{ tenantId, amountMinor, currency, receipt }: Receipt,
	feeMinor: bigint | undefined,
): Promise<LineEvidence> {
	const [settlementId, id] = [randomUUID(), randomUUID()];
	await saveSettlement(db, {
		...{ id: settlementId, gatewayId: settlementId, gatewayStatus: "success", state: "paid", currency },
		...{ effectiveMinor: amountMinor, processedMinor: undefined, feesMinor: undefined },
		...{ deductionsMinor: undefined, settlesTo: "bank", settledAt: now, now },
	});
	const charge = { transactionId: receipt ?? "", reference: "", amountMinor, feeMinor, currency };
	await recordLines(db, [{ ...charge, id, settlementId, channel: "card", paidAt: now }]);
	const line = await findLine(db, id);
	if (line === undefined) throw new Error("the line was not stored");
	return { tenantId, line, settledAt: now, source: "statement", sourceId: id, at: now };
}
