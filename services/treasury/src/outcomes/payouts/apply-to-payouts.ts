import { enqueueJobs } from "@lango/jobs";
import type { Database } from "@lango/postgres";
import { lockAvailable } from "../../ledger/available.store.ts";
import { postJournals } from "../../ledger/ledger.store.ts";
import { approvePayouts, lockPayouts } from "../../payouts/payout.store.ts";
import type { Payout } from "../../payouts/payout.ts";
import { recordPayoutChanged } from "../../payouts/payout-events.ts";
import { recordAllEvidence } from "../evidence/evidence.store.ts";
import type { PayoutsEvidence } from "../evidence/payout-evidence.ts";
import { holdsOf } from "./payout-postings.ts";

/**
 * Applies a statement about payouts of one request that wait for their approval, in a statement for each
 * table: what those take that are asked for is held, and those that are approved are sent by a job. Others
 * stay as they are. Call it inside the tenant. Throws LedgerOverdrawn if they take more than there is.
 */
export async function applyToPayouts(tx: Database, evidence: PayoutsEvidence): Promise<void> {
	const { tenantId, payoutIds, decided, source, sourceId, at } = evidence;
	await lockAvailable(tx, tenantId);
	const payouts = (await lockPayouts(tx, payoutIds)).filter(({ status }) => status === "awaiting_approval");
	const about = { tenantId, objectKind: "payout", source, sourceId, said: { kind: decided }, at } as const;
	const evidenceIds = await recordAllEvidence(
		tx,
		payouts.map(({ id: objectId }) => ({ ...about, objectId })),
	);
	await effects[decided](tx, { tenantId, payouts, evidenceIds, at });
}

type Applying = {
	tenantId: string;
	payouts: readonly Payout[];
	/** Of the payouts, in their order. */
	evidenceIds: readonly string[];
	at: Date;
};

const effects: Readonly<
	Record<PayoutsEvidence["decided"], (tx: Database, applying: Applying) => Promise<void>>
> = { requested: hold, approved: approve };

/** Payouts that are new: their own event is that they wait for their approval. */
async function hold(tx: Database, { tenantId, payouts, evidenceIds, at }: Applying): Promise<void> {
	const journals = payouts.flatMap((payout, place) =>
		holdsOf(payout).map((posting) => ({
			...{ ...posting, source: { type: "payout", id: payout.id }, evidenceId: evidenceIds[place] ?? "", at },
		})),
	);
	if (journals.length > 0) await postJournals(tx, tenantId, journals);
	for (const payout of payouts) await recordPayoutChanged(tx, payout, at);
}

async function approve(tx: Database, { payouts, at }: Applying): Promise<void> {
	const approved = await approvePayouts(tx, payouts, at);
	await enqueueJobs(
		tx,
		{ name: "payouts.submit" },
		approved.map(({ id, tenantId }) => ({ id, tenantId })),
	);
	for (const payout of approved) await recordPayoutChanged(tx, payout, at);
}
