import { acrossTenants, type Database } from "@lango/postgres";

/** A journal with its lines. */
export type BookedJournal = {
	id: string;
	tenantId: string | null;
	purpose: string;
	evidenceId: string;
	effectiveAt: Date;
	postedAt: Date;
	lines: ReadonlyArray<{
		side: "debit" | "credit";
		tenantId: string | null;
		code: string;
		currency: string;
		amountMinor: bigint;
	}>;
};

type Row = {
	id: string;
	tenant_id: string | null;
	purpose: string;
	evidence_id: string;
	effective_at: Date;
	posted_at: Date;
	side: "debit" | "credit";
	account_tenant: string | null;
	code: string;
	currency: string;
	amount_minor: bigint;
};

/** A source has few journals, since each has a purpose of its own. */
const linesMax = 1_000;

/**
 * Lists the journals of a source, the first first, as the platform owner; with those of a payout or refund
 * the corrections of its fee, whose source is the statement of the gateway.
 */
export async function listJournals(
	db: Database,
	source: { type: string; id: string },
): Promise<readonly BookedJournal[]> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query<Row>(
			`select j.id::text, j.tenant_id, j.purpose, j.evidence_id, j.effective_at, j.posted_at, p.side, a.tenant_id as account_tenant,
			        a.code, a.currency, p.amount_minor
			   from journals j join postings p on p.journal_id = j.id join ledger_accounts a on a.id = p.account_id
			  where (j.source_type, j.source_id) in (
			          select $1::text, $2::uuid
			           union all
			          select $1::text || '_fee', e.id from journals b join evidence e on e.tenant_id = b.tenant_id and e.object_id = b.source_id
			           where b.source_type = $1 and b.source_id = $2 and $1 in ('payout', 'refund'))
			  order by j.id, p.line limit $3`,
			[source.type, source.id, linesMax],
		),
	);
	return [...Map.groupBy(rows, ({ id }) => id).values()].map(fromRows);
}

function fromRows(rows: readonly Row[]): BookedJournal {
	const [first] = rows;
	if (first === undefined) throw new Error("a journal has no lines");
	return {
		...{ id: first.id, tenantId: first.tenant_id, purpose: first.purpose, evidenceId: first.evidence_id },
		...{ effectiveAt: first.effective_at, postedAt: first.posted_at },
		lines: rows.map(({ side, account_tenant: tenantId, code, currency, amount_minor: amountMinor }) => ({
			...{ side, tenantId, code, currency, amountMinor },
		})),
	};
}
