import type { Database } from "@lango/postgres";
import { postJournals } from "../../ledger/ledger.store.ts";
import { varyUnsettled } from "../../ledger/postings/settling.ts";
import { recordEvidence } from "../evidence/evidence.store.ts";
import type { VarianceEvidence } from "../evidence/settling-evidence.ts";

/**
 * Posts what a settlement paid too little, or too much, within the tolerance of the profile, once. Call it
 * inside the platform owner's tenant.
 */
export async function postVariance(tx: Database, evidence: VarianceEvidence): Promise<void> {
	const { tenantId, variance, source, sourceId, at } = evidence;
	const { settlementId: id, amountMinor, currency } = variance;
	const about = { tenantId, objectKind: "settlement" as const, objectId: id, source, sourceId, at };
	const evidenceId = await recordEvidence(tx, { ...about, said: { kind: "varied", ...variance } });
	const posting = varyUnsettled({ amountMinor, currency });
	await postJournals(tx, undefined, [{ ...posting, source: { type: "settlement", id }, evidenceId, at }]);
}
