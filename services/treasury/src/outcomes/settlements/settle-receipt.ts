import type { Database } from "@lango/postgres";
import { closeExplained } from "../../exceptions/exception.store.ts";
import type { Proposal } from "../../exceptions/exception.ts";
import { raiseException } from "../../exceptions/raise-exception.ts";
import { postRaising } from "../../ledger/post-raising.ts";
import type { Journal, Posting } from "../../ledger/postings/posting.ts";
import { release, toProposed, varyUnsettled } from "../../ledger/postings/settling.ts";
import { toMinor } from "../../money/amount.ts";
import { lockReceiptByNumber } from "../../receipts/receipt.store.ts";
import type { Receipt } from "../../receipts/receipt.ts";
import { changeLineState, lockUnsettled } from "../../settlements/settlement-line.store.ts";
import { correctPosted } from "../collecting/correct-fee.ts";
import { recordEvidence } from "../evidence/evidence.store.ts";
import type { LineEvidence } from "../evidence/settling-evidence.ts";
import { markSettled, releasePayments } from "./settled.store.ts";

type Settling = { evidence: LineEvidence; receipt: Receipt; evidenceId: string };

/**
 * Settles the receipt of a charge that a settlement contains: the fee that the gateway kept replaces the
 * estimate, and what of its payments is pending becomes available. Of another amount or currency than the
 * receipt, or of one that was settled before, the line raises an exception and settles nothing. A line that
 * an operator has decided about meanwhile stays as it is. Call it inside the tenant of the receipt.
 */
export async function settleReceipt(tx: Database, evidence: LineEvidence): Promise<void> {
	const { tenantId, line, source, sourceId, at } = evidence;
	const receipt = await lockReceiptByNumber(tx, { gateway: "card_gateway", receipt: line.transactionId });
	if (receipt === undefined) throw new Error(`the receipt ${line.transactionId} does not exist`);
	const state = await lockUnsettled(tx, line.id);
	if (state === undefined) return;
	const problem = problemOf(receipt, { ...line, state });
	await changeLineState(tx, line.id, problem === undefined ? "matched" : "differs");
	await closeMissing(tx, evidence, receipt.id);
	if (problem !== undefined) return raiseDifference(tx, evidence, { receipt, class: problem });
	await closeLate(tx, evidence, receipt.id);
	const about = { tenantId, objectKind: "receipt" as const, objectId: receipt.id, source, sourceId, at };
	const evidenceId = await recordEvidence(tx, { ...about, said: { kind: "settled", ...line } });
	await settle(tx, { evidence, receipt, evidenceId });
}

function problemOf(receipt: Receipt, line: Line): "duplicate" | "currency" | "amount" | undefined {
	if (receipt.settledAt !== null) return "duplicate";
	if (line.state === "accepted") return undefined;
	if (receipt.currency !== line.currency) return "currency";
	return receipt.amountMinor === line.amountMinor ? undefined : "amount";
}

/** The charge was counted after its exception was raised. */
async function closeMissing(tx: Database, { line, at: now }: LineEvidence, receiptId: string): Promise<void> {
	const of = { class: "missing_here" as const, receiptIds: [receiptId], now };
	await closeExplained(tx, { ...of, subject: line.transactionId });
	await closeExplained(tx, { ...of, subject: `settlement line ${line.id}` });
}

async function closeLate(tx: Database, { line, at: now }: LineEvidence, receiptId: string): Promise<void> {
	const late = { class: "late" as const, subject: `charge ${line.transactionId}` };
	await closeExplained(tx, { ...late, receiptIds: [receiptId], now });
}

async function settle(tx: Database, settling: Settling): Promise<void> {
	const { receipt, evidence, evidenceId } = settling;
	const { tenantId, line, settledAt, at } = evidence;
	const { id, currency, isFeeEstimated } = receipt;
	// The difference of one that an operator accepted is explained by what was decided.
	const isSame = line.amountMinor === receipt.amountMinor && line.currency === currency;
	const said = isSame ? line.feeMinor : undefined;
	const feeMinor = said ?? receipt.feeMinor;
	await markSettled(tx, {
		...{ id, settledAt, feeMinor, isFeeEstimated: isFeeEstimated && said === undefined },
	});
	const journals: Journal[] = [];
	const add = (posting: Posting, source: Journal["source"]) =>
		journals.push({ ...posting, source, evidenceId, at: settledAt });
	const released = await releasePayments(tx, id, at);
	if (feeMinor !== receipt.feeMinor)
		add(await correctFeeOf(tx, settling, feeMinor), { type: "settlement_line", id: line.id });
	for (const payment of released)
		add(release({ amountMinor: payment.pendingMinor, currency }), { type: "payment", id: payment.id });
	if (journals.length > 0) await postRaising(tx, tenantId, journals);
}

/** What the gateway said before differs from what it kept: the operator has to explain it. */
async function correctFeeOf(
	tx: Database,
	{ evidence, receipt }: Settling,
	feeMinor: bigint,
): Promise<Posting> {
	if (!receipt.isFeeEstimated) await raiseDifference(tx, evidence, { receipt, class: "fee" });
	return correctPosted(tx, receipt, feeMinor);
}

async function raiseDifference(
	tx: Database,
	{ line, tenantId, at: now }: LineEvidence,
	{ receipt, class: found }: { receipt: Receipt; class: "duplicate" | "currency" | "amount" | "fee" },
): Promise<void> {
	const { id: receipt_id, amountMinor, feeMinor, currency, settledAt } = receipt;
	await raiseException(tx, {
		...{ class: found, subject: `settlement line ${line.id}`, lineId: line.id, now },
		...{ settlementId: line.settlementId, proposed: proposals[found]?.(receipt, line) },
		...{ amountMinor: line.amountMinor, currency: line.currency },
		ours: {
			...{
				tenant_id: tenantId,
				receipt_id,
				amount_minor: toMinor(amountMinor),
				fee_minor: toMinor(feeMinor),
			},
			...{ currency, settled_at: settledAt?.toISOString() ?? null },
		},
		theirs: {
			...{ settlement_id: line.settlementId, transaction: line.transactionId, reference: line.reference },
			...{ amount_minor: toMinor(line.amountMinor), currency: line.currency },
			...(line.feeMinor !== undefined && { fee_minor: toMinor(line.feeMinor) }),
		},
	});
}

type Line = LineEvidence["line"];

/** What a charge brought less than was expected. */
function varianceOf(amountMinor: bigint, currency: string): Proposal {
	const posting = varyUnsettled({ amountMinor, currency });
	return { tenant_id: null, purpose: "variance", currency, lines: toProposed(posting) };
}

/** What a charge brings by its line, and by its receipt. */
const netOfLine = (line: Line, receipt: Receipt) => line.amountMinor - (line.feeMinor ?? receipt.feeMinor);
const netOf = ({ amountMinor, feeMinor }: Receipt) => amountMinor - feeMinor;

/**
 * The journals that explain differences. Of another currency the money of the receipt does not come; what
 * comes in its place is another adjustment. A fee is corrected already.
 */
const proposals: Readonly<Record<string, (receipt: Receipt, line: Line) => Proposal>> = {
	amount: (receipt, line) => varianceOf(netOf(receipt) - netOfLine(line, receipt), receipt.currency),
	currency: (receipt) => varianceOf(netOf(receipt), receipt.currency),
	duplicate: (receipt, line) => varianceOf(-netOfLine(line, receipt), line.currency),
};
