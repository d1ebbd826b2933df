import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { retryConflicts } from "../../src/ledger/retry-conflicts.ts";
import { applyOutcome } from "../../src/outcomes/apply-outcome.ts";
import type { Receipt } from "../../src/receipts/receipt.ts";
import { saveSettlement } from "../../src/settlements/settlement.store.ts";
import { findLine, recordLines } from "../../src/settlements/settlement-line.store.ts";
import type { Counter } from "./counter.ts";

/** Settles a charge as a settlement does, with the fee that it states. */
export async function settleCharge(
	{ db, clock: { now } }: Pick<Counter, "db" | "clock">,
	{ tenantId, amountMinor, currency, receipt }: Receipt,
	feeMinor: bigint | undefined,
): Promise<void> {
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
	const evidence = { tenantId, line, settledAt: now, source: "statement", sourceId: id, at: now } as const;
	await retryConflicts(() => inTenant(db, tenantId, (tx) => applyOutcome(tx, evidence)));
}
