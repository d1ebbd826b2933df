import type { Database } from "@lango/postgres";
import { LedgerJournalDiffers, LedgerOverdrawn } from "./ledger-error.ts";
import type { Journal } from "./postings/posting.ts";

/** A journal in the ledger; `isNew` is false if it was posted before, with the same lines. */
export type PostedJournal = { id: bigint; isNew: boolean };

/**
 * Posts journals of a tenant, or of the platform alone if `tenantId` is undefined, in the transaction of
 * the state that they follow. All journals of a transaction go in one call, so that accounts are locked in
 * one order. A journal whose source and purpose were posted before, with the same lines, changes nothing.
 * Throws LedgerOverdrawn if a guarded account would fall below 0, and LedgerJournalDiffers for a repetition
 * with other lines. Call it inside the tenant; `retryConflicts` wraps the transaction.
 */
export async function postJournals(
	tx: Database,
	tenantId: string | undefined,
	journals: readonly Journal[],
): Promise<readonly PostedJournal[]> {
	try {
		const rows = await tx.query<{ journal_id: bigint; is_new: boolean }>(
			"select journal_id, is_new from post_journal($1, $2)",
			[tenantId ?? null, JSON.stringify(journals.map(toRow))],
		);
		return rows.map(({ journal_id, is_new }) => ({ id: journal_id, isNew: is_new }));
	} catch (error) {
		throw refusalOf(error);
	}
}

/** Posts one journal: `postJournals` with a single one. */
export async function postJournal(
	tx: Database,
	{ tenantId, ...journal }: Journal & { tenantId?: string },
): Promise<PostedJournal> {
	const [posted] = await postJournals(tx, tenantId, [journal]);
	if (posted === undefined) throw new Error("post_journal returned no row");
	return posted;
}

const toRow = ({ source, purpose, evidenceId, at, lines }: Journal) => ({
	...{ source_type: source.type, source_id: source.id, purpose, evidence_id: evidenceId, effective_at: at },
	lines: lines.map(({ side, account: { code, owner }, currency, amountMinor }) => ({
		...{ side, owner, code, currency },
		amount_minor: String(amountMinor),
	})),
});

/** The refusals of `post_journal`, by their error codes; any other error stays as it is. */
function refusalOf(error: unknown): unknown {
	if (!(error instanceof Error) || !("code" in error)) return error;
	const { code, detail = "" } = error as Error & { code: unknown; detail?: string };
	if (code === "LT001") return new LedgerOverdrawn(detail, error);
	if (code === "LT002") return new LedgerJournalDiffers(detail, error);
	return error;
}
