import type { Database } from "@lango/postgres";
import { findHalt } from "../../halts/halt.store.ts";
import { isSubmitting } from "../../payouts/payout.store.ts";
import type { Payout } from "../../payouts/payout.ts";
import { isBatchJustSent } from "../../payouts/payout-batch.store.ts";
import { findPayer } from "../../prompts/payer.store.ts";

/** Why a payout is not sent now: nothing may be sent, or something else is being sent. */
export type Obstacle = "stopped" | "busy";

/** Whether payouts are halted, or the tenant is suspended. Call it inside the tenant. */
export const isSendingStopped = async (tx: Database): Promise<boolean> =>
	(await findHalt(tx, "payouts")) !== undefined || !(await findPayer(tx)).isServed;

/** Returns why an approved payout is not sent now; undefined: it may be. Call it inside the tenant. */
export async function findObstacle(
	tx: Database,
	{ rail, batchId }: Payout,
	at: Date,
): Promise<Obstacle | undefined> {
	if (await isSendingStopped(tx)) return "stopped";
	const isInBatch = rail === "card_gateway" && batchId !== null;
	if (isInBatch && (await isBatchJustSent(tx, batchId, at))) return "busy";
	return (await isSubmitting(tx, rail)) ? "busy" : undefined;
}
