import type { Database } from "@lango/postgres";
import { postJournal } from "../../ledger/ledger.store.ts";
import { floatOf } from "../../ledger/postings/account.ts";
import { adjustMirror } from "../../ledger/postings/collecting.ts";
import { recordEvidence } from "../evidence/evidence.store.ts";
import type { BalanceEvidence } from "../evidence/evidence.ts";
import { getMirror, isMoneyMoving } from "./mirror.store.ts";

/**
 * Brings the mirror of a tenant's own shortcode in line with what the gateway says that it holds: the
 * tenant also spends and receives outside. While a prompt, a payout or a reversal is open, or if one was
 * counted since the question, the difference may be theirs: the mirror stays, and the next answer corrects
 * it. Call it inside the tenant.
 */
export async function alignMirror(tx: Database, evidence: BalanceEvidence): Promise<void> {
	const { tenantId, queryId, source, sourceId, balance, askedAt, at } = evidence;
	const { shortcode, currency, amountMinor } = balance;
	const about = { tenantId, objectKind: "query" as const, objectId: queryId, source, sourceId, at };
	const evidenceId = await recordEvidence(tx, { ...about, said: { kind: "balance", ...balance } });
	if (await isMoneyMoving(tx, { shortcode, since: askedAt })) return;
	const { code } = floatOf({ shortcode, owner: "tenant" });
	const differenceMinor = amountMinor - (await getMirror(tx, { code, currency }));
	if (differenceMinor === 0n) return;
	await postJournal(tx, {
		...adjustMirror({ shortcode, differenceMinor, currency }),
		...{ tenantId, source: { type: "query", id: queryId }, evidenceId, at },
	});
}
