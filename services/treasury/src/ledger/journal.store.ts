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
	const rows = await acrossTenants(db, async (tx) =>
		tx.query<Row>(
			`select j.id::text, j.tenant_id, j.purpose, j.evidence_id, j.effective_at, j.posted_at, p.side, a.tenant_id as account_tenant,
			        a.code, a.currency, p.amount_minor
			   from journals j join postings p on p.journal_id = j.id join ledger_accounts a on a.id = p.account_id
			  where j.source_type = $1 and j.source_id = $2 or j.source_type = $1 || '_fee' and j.source_id = any ($3::uuid[])
			  order by j.id, p.line limit $4`,
			[source.type, source.id, await listStatements(tx, source), linesMax],
		),
	);
	return [...Map.groupBy(rows, ({ id }) => id).values()].map(fromRows);
}

/** Lists what gateways said of a payout or refund, of which something was posted. */
async function listStatements(tx: Database, { type, id }: { type: string; id: string }): Promise<string[]> {
	if (type !== "payout" && type !== "refund") return [];
	const [journal] = await tx.query<{ tenant_id: string | null }>(
		"select tenant_id from journals where source_type = $1 and source_id = $2 limit 1",
		[type, id],
	);
	const rows = await tx.query<{ id: string }>(
		"select id from evidence where tenant_id = $1 and object_id = $2",
		[journal?.tenant_id ?? null, id],
	);
	return rows.map((row) => row.id);
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
