import { uuidV7 } from "@lango/events";
import type { Database } from "@lango/postgres";
import type { Exception } from "../exceptions/exception.ts";
import { markListed } from "../settlements/settlement.store.ts";
import type { SettlementLine } from "../settlements/settlement.ts";
import { decideLine, decideProposed, findLine, recordLines } from "../settlements/settlement-line.store.ts";
import { settleAgain } from "./decide-line.ts";
import type { Explaining } from "./explaining-receipt.store.ts";
import { reconciliationFailures } from "./failures.ts";

type Matching = { receipts: readonly Explaining[]; now: Date };

/**
 * Lets receipts explain an exception, if they come to its amount. What a settlement paid out for them becomes
 * lines of it, which settle them. Charges that were proposed are confirmed without naming them. Throws
 * `receipts_differ`.
 */
export async function matchReceipts(tx: Database, exception: Exception, matching: Matching): Promise<void> {
	const { settlementId, lineId } = exception;
	if (settlementId === undefined) return requireSum(sumOf(matching.receipts), magnitudeOf(exception));
	if (exception.class === "missing_there") await confirm(tx, settlementId, matching);
	else if (lineId === undefined) await matchSettlement(tx, { ...exception, settlementId }, matching);
	else await matchLine(tx, lineId, matching);
	await settleAgain(tx, settlementId);
}

const sumOf = (receipts: readonly Explaining[]) =>
	receipts.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
const feesOf = (receipts: readonly Explaining[]) =>
	receipts.reduce((sum, { feeMinor }) => sum + feeMinor, 0n);
const magnitudeOf = ({ amountMinor }: Exception) => (amountMinor < 0n ? -amountMinor : amountMinor);

function requireSum(foundMinor: bigint, expectedMinor: bigint): void {
	if (foundMinor !== expectedMinor) throw reconciliationFailures.receipts_differ();
}

async function confirm(tx: Database, settlementId: string, { receipts }: Matching): Promise<void> {
	if (receipts.length > 0) throw reconciliationFailures.receipts_differ();
	await decideProposed(tx, settlementId, "open");
}

type OfSettlement = Pick<Exception, "amountMinor" | "currency"> & { settlementId: string };

/** What arrived beyond the charges of a settlement is the net of the receipts. */
async function matchSettlement(
	tx: Database,
	{ settlementId, amountMinor, currency }: OfSettlement,
	{ receipts, now }: Matching,
): Promise<void> {
	requireSettleable(receipts, currency);
	requireSum(sumOf(receipts) - feesOf(receipts), amountMinor);
	await addLines(tx, settlementId, { receipts, now });
	await markListed(tx, settlementId, now);
}

/** The line of one charge is that of the receipts. The fee that it states is of one receipt. */
async function matchLine(tx: Database, lineId: string, { receipts, now }: Matching): Promise<void> {
	const line = await findLine(tx, lineId);
	if (line === undefined) throw new Error(`the line ${lineId} does not exist`);
	requireSettleable(receipts, line.currency);
	requireSum(sumOf(receipts), line.amountMinor);
	const isOne = receipts.length === 1;
	if (!isOne && line.feeMinor !== undefined) requireSum(feesOf(receipts), line.feeMinor);
	const stated = receipts.map((one) => ({ ...one, feeMinor: (isOne && line.feeMinor) || one.feeMinor }));
	if ((await decideLine(tx, lineId, "replaced")) === undefined) throw reconciliationFailures.line_matched();
	await addLines(tx, line.settlementId, { receipts: stated, now });
}

/** Charges of the card gateway that no settlement paid out yet. */
function requireSettleable(receipts: readonly Explaining[], currency: string): void {
	const isSettleable = (one: Explaining) =>
		one.gateway === "card_gateway" && !one.isSettled && one.currency === currency;
	if (receipts.length === 0 || !receipts.every(isSettleable)) throw reconciliationFailures.receipts_differ();
}

/** A receipt that the settlement contains already explains nothing else of it. */
async function addLines(tx: Database, settlementId: string, { receipts, now }: Matching): Promise<void> {
	const lines = receipts.map((receipt) => toLine(receipt, settlementId, now));
	if ((await recordLines(tx, lines, "accepted")) !== receipts.length)
		throw reconciliationFailures.receipts_differ();
}

function toLine(receipt: Explaining, settlementId: string, now: Date): Omit<SettlementLine, "state"> {
	const { reference, amountMinor, feeMinor, currency, channel, occurredAt: paidAt } = receipt;
	if (receipt.receipt === undefined) throw reconciliationFailures.receipts_differ();
	return {
		...{ id: uuidV7(now), settlementId, transactionId: receipt.receipt, reference },
		...{ amountMinor, feeMinor, currency, channel, paidAt },
	};
}
