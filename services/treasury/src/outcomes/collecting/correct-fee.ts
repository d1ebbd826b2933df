import type { Database } from "@lango/postgres";
import { lockAvailable } from "../../ledger/available.store.ts";
import { postRaising } from "../../ledger/post-raising.ts";
import { trueUpFee } from "../../ledger/postings/collecting.ts";
import type { Posting } from "../../ledger/postings/posting.ts";
import type { Receipt } from "../../receipts/receipt.ts";
import type { Paid } from "../evidence/evidence.ts";
import { correctFee, feesDueOf, recordFee } from "./fee.store.ts";

type Stated = { said: Paid; evidenceId: string; now: Date };

/**
 * Replaces the estimate of a fee by what a later statement about the receipt says, once. The receipt is
 * locked. Call it inside the tenant.
 */
export async function takeFee(tx: Database, receipt: Receipt, stated: Stated): Promise<void> {
	const { said, evidenceId, now: at } = stated;
	const { id, tenantId, isFeeEstimated } = receipt;
	if (said.feeMinor === undefined || !isFeeEstimated) return;
	await recordFee(tx, id, said.feeMinor);
	if (said.feeMinor === receipt.feeMinor) return;
	const posting = await correctPosted(tx, receipt, said.feeMinor);
	await postRaising(tx, tenantId, [{ ...posting, source: { type: "receipt", id }, evidenceId, at }]);
}

/**
 * Corrects the fee of the payment that bears it, and returns the posting of the difference. A payout that is
 * asked for meanwhile waits: it deducts the fees that are due. The receipt is locked. Call it inside the
 * tenant.
 */
export async function correctPosted(tx: Database, receipt: Receipt, feeMinor: bigint): Promise<Posting> {
	const { id, tenantId, channel, currency, isFeePassedOn: isPassedOn } = receipt;
	if (isPassedOn) await correctFee(tx, id, feeMinor);
	if (isPassedOn) await lockAvailable(tx, tenantId);
	const feesDueMinor = isPassedOn ? await feesDueOf(tx, currency) : 0n;
	const differenceMinor = feeMinor - receipt.feeMinor;
	return trueUpFee({ differenceMinor, channel, currency, isPassedOn, feesDueMinor });
}
