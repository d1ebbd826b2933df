import type { Database } from "@lango/postgres";
import { postRaising } from "../../ledger/post-raising.ts";
import { recordEvidence } from "../evidence/evidence.store.ts";
import type { AdjustmentEvidence } from "../evidence/settling-evidence.ts";

/**
 * Posts an adjustment that two operators decided, once. Throws LedgerOverdrawn if a guarded account would
 * fall below 0. Call it inside its tenant, or the platform owner's.
 */
export async function postAdjustment(tx: Database, evidence: AdjustmentEvidence): Promise<void> {
	const { tenantId, adjustment, source, sourceId, at } = evidence;
	const { id, purpose, currency, lines } = adjustment;
	const about = { tenantId, objectKind: "adjustment" as const, objectId: id, source, sourceId, at };
	const evidenceId = await recordEvidence(tx, { ...about, said: { kind: "adjusted", ...adjustment } });
	const posted = lines.map(({ side, owner, code, amountMinor }) => ({
		...{ side, account: { owner, code }, currency, amountMinor },
	}));
	const journal = { purpose, lines: posted, source: { type: "adjustment", id }, evidenceId, at };
	await postRaising(tx, adjustment.tenantId, [journal]);
}
