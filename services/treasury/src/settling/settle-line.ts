import { inTenant } from "@lango/postgres";
import { attachLine } from "../exceptions/exception.store.ts";
import { raiseException } from "../exceptions/raise-exception.ts";
import { isFeeChannel } from "../fees/fee.ts";
import { retryConflicts } from "../ledger/retry-conflicts.ts";
import { toMinor } from "../money/amount.ts";
import { applyOutcome } from "../outcomes/apply-outcome.ts";
import { findLocator, type Located } from "../payments/locator.store.ts";
import { findCounted } from "../receipts/receipt.store.ts";
import { askNow } from "../recovery/ask-now.ts";
import type { SettlementLine } from "../settlements/settlement.ts";
import { changeLineState, lockUnsettled } from "../settlements/settlement-line.store.ts";
import type { Treasury } from "../treasury.ts";
import { proposeSuspense } from "./propose-suspense.ts";

/**
 * Settles the receipt of a charge that a settlement contains, in any tenant it is. Without a receipt
 * the gateway is asked about the charge; one that is not ours raises an exception.
 */
export async function settleLine(domain: Treasury, line: SettlementLine, settledAt: Date): Promise<void> {
	const { db, now } = domain;
	const counted = await findReceiptOf(domain, line);
	if (counted === undefined) return raiseMissing(domain, line);
	const { tenantId } = counted;
	const evidence = { tenantId, line, settledAt, source: "statement", sourceId: line.id } as const;
	await retryConflicts(() => inTenant(db, tenantId, (tx) => applyOutcome(tx, { ...evidence, at: now() })));
	const { channel, currency, amountMinor, feeMinor } = line;
	if (isFeeChannel(channel) && feeMinor !== undefined)
		domain.counts.charged({ by: "settlement", channel, currency, amountMinor, feeMinor });
}

/** The event of a charge may be lost. */
async function findReceiptOf(domain: Treasury, line: SettlementLine): Promise<Located | undefined> {
	const { db } = domain;
	const counted = await findCounted(db, "card_gateway", line.transactionId);
	if (counted !== undefined) return counted;
	const attempt = await findLocator(db, "reference", line.reference);
	if (attempt === undefined) return undefined;
	await askNow(domain, attempt.tenantId, attempt.objectId);
	return findCounted(db, "card_gateway", line.transactionId);
}

/** One exception of a charge is open: that of the comparison of charges is about this line, too. */
async function raiseMissing({ db, now }: Treasury, line: SettlementLine): Promise<void> {
	const { id: lineId, settlementId, transactionId: transaction, reference, currency } = line;
	const { amountMinor, feeMinor } = line;
	const of = { class: "missing_here" as const, settlementId, lineId };
	await db.transaction(async (tx) => {
		if ((await lockUnsettled(tx, lineId)) === undefined) return;
		await changeLineState(tx, lineId, "missing");
		if (await attachLine(tx, { ...of, subject: transaction })) return;
		await raiseException(tx, {
			...{ ...of, subject: `settlement line ${lineId}`, amountMinor, currency, now: now() },
			ours: {},
			proposed: proposeSuspense(line),
			theirs: {
				...{ settlement_id: settlementId, transaction, reference, amount_minor: toMinor(amountMinor) },
				...(feeMinor !== undefined && { fee_minor: toMinor(feeMinor) }),
				currency,
			},
		});
	});
}
