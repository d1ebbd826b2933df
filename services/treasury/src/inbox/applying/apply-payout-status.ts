import type { Database } from "@lango/postgres";
import { applyOutcome } from "../../outcomes/apply-outcome.ts";
import type { PayoutSaid } from "../../outcomes/evidence/payout-evidence.ts";
import { findLocator } from "../../payments/locator.store.ts";
import { findPayout } from "../../payouts/payout.store.ts";
import type { GatewayQuery } from "../../queries/query.ts";
import { findMoved } from "../../receipts/money-out.store.ts";
import type { StatusResult } from "../reading.ts";

type Answered = { query: GatewayQuery; result: StatusResult; deliveryId: string; now: Date };

const answeredCode = "0";
const failedWords: ReadonlySet<string> = new Set(["failed", "declined", "cancelled", "expired"]);

/**
 * Applies the answer to a question about one of our own requests, or about the number of its movement, to its
 * payout, by the word for the state of the transaction alone. It also says what the gateway charged for it. A
 * code other than 0, for example 2032, says that the question was not answered: it leaves the payout as it
 * is. Call it inside the tenant.
 */
export async function applyPayoutStatus(tx: Database, answered: Answered): Promise<void> {
	const { query, result, deliveryId, now } = answered;
	if (result.code !== answeredCode) return;
	const id = await findAsked(tx, query);
	const payout = id === undefined ? undefined : await findPayout(tx, id);
	const said = saidByStatus(result);
	if (payout === undefined || said === undefined) return;
	await applyOutcome(tx, {
		...{ tenantId: query.tenantId, payoutId: payout.id, payout: said, at: now },
		...{ source: "query" as const, sourceId: deliveryId },
	});
}

async function findAsked(tx: Database, { tenantId, about }: GatewayQuery): Promise<string | undefined> {
	if ("receipt" in about) return findMoved(tx, { kind: "payout", receipt: about.receipt });
	if (!("originatorId" in about)) return undefined;
	const found = await findLocator(tx, "reference", about.originatorId);
	return found?.tenantId === tenantId ? found.objectId : undefined;
}

function saidByStatus({
	status = "",
	amountMinor,
	receipt,
	finishedAt,
	chargeMinor: feeMinor,
}: StatusResult): PayoutSaid | undefined {
	const word = status.toLowerCase();
	if (word === "completed") return { kind: "paid", amountMinor, receipt, paidAt: finishedAt, feeMinor };
	return failedWords.has(word) ? { kind: "failed", code: word } : undefined;
}
