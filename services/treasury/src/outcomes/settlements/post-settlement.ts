import type { Database } from "@lango/postgres";
import { postJournals } from "../../ledger/ledger.store.ts";
import { settle } from "../../ledger/postings/settling.ts";
import { recordEvidence } from "../evidence/evidence.store.ts";
import type { SettlementEvidence } from "../evidence/settling-evidence.ts";

/**
 * Posts what a settlement paid out to the platform, once. Its evidence is the platform owner's. Call it
 * inside the platform owner's tenant.
 */
export async function postSettlement(tx: Database, evidence: SettlementEvidence): Promise<void> {
	const { tenantId, settlement, source, sourceId, at } = evidence;
	const { id, effectiveMinor: amountMinor, currency, settlesTo: to, settledAt } = settlement;
	if (amountMinor === 0n) return;
	const about = { tenantId, objectKind: "settlement" as const, objectId: id, source, sourceId, at };
	const evidenceId = await recordEvidence(tx, { ...about, said: { kind: "paid_out", ...settlement } });
	const posting = settle({ amountMinor, currency, to });
	await postJournals(tx, undefined, [
		{ ...posting, source: { type: "settlement", id }, evidenceId, at: settledAt },
	]);
}
