import { enqueueJob } from "@lango/jobs";
import type { Database } from "@lango/postgres";
import { findException, lockException } from "../exceptions/exception.store.ts";
import type { Exception } from "../exceptions/exception.ts";
import { lockReceipt } from "../receipts/receipt.store.ts";
import { reopenSettlement } from "../settlements/settlement.store.ts";
import { decideLine, decideProposed, lockLineState } from "../settlements/settlement-line.store.ts";

/** The job that settles the receipts of a settlement, by its name. */
const settleJob = { name: "settlements.settle" } as const;

/**
 * Locks an exception after the line of a settlement that it is about, as settling it does; inside a tenant
 * after the receipt, too: what is done outside of one changes no receipt.
 */
export async function lockExplained(
	tx: Database,
	id: string,
	{ isInTenant }: { isInTenant: boolean },
): Promise<Exception | undefined> {
	const found = await findException(tx, id);
	const receiptId = found?.proposed?.receipt_id;
	if (isInTenant && receiptId !== undefined) await lockReceipt(tx, receiptId);
	if (found?.lineId !== undefined) await lockLineState(tx, found.lineId);
	return lockException(tx, id);
}

/** Has a settlement settled again, with what was decided. */
export async function settleAgain(tx: Database, settlementId: string): Promise<void> {
	await reopenSettlement(tx, settlementId);
	await enqueueJob(tx, settleJob, { id: settlementId });
}

/**
 * Lets the line of a settlement that an exception was about settle its receipt: what differs is posted. Of a
 * charge that was settled before it settles nothing.
 */
export async function acceptLineOf(tx: Database, { class: of, lineId }: Exception): Promise<void> {
	if (lineId === undefined) return;
	const settlementId = await decideLine(tx, lineId, of === "duplicate" ? "waived" : "accepted");
	if (settlementId !== undefined) await settleAgain(tx, settlementId);
}

/** Closes what an exception was about without settling anything: no money is released by a waiver. */
export async function waiveLineOf(tx: Database, { settlementId, lineId }: Exception): Promise<void> {
	if (settlementId === undefined) return;
	if (lineId === undefined) await decideProposed(tx, settlementId, "waived");
	else await decideLine(tx, lineId, "waived");
	await settleAgain(tx, settlementId);
}
