import { acrossTenants, type Database } from "@lango/postgres";
import type { Place } from "./place.ts";
import { firstId } from "./seal.store.ts";

/** An account with its balance, in the direction in which it grows. */
export type BookedAccount = {
	id: string;
	tenantId: string | null;
	code: string;
	currency: string;
	type: string;
	custody: string;
	isGuarded: boolean;
	shards: number;
	mergedInto: string | null;
	balanceMinor: bigint;
};

type AccountRow = {
	id: string;
	tenant_id: string | null;
	code: string;
	currency: string;
	type: string;
	custody: string;
	is_guarded: boolean;
	shards: number;
	merged_into: string | null;
	balance_minor: bigint;
};

const columns = `a.id, a.tenant_id, a.code, a.currency, a.type, a.custody, a.is_guarded, a.shards, a.merged_into,
	(select sum(b.balance_minor)::bigint from ledger_balances b where b.account_id = a.id) as balance_minor`;

/** Lists the accounts of a tenant, or of the platform, with their balances, as the platform owner. */
export async function listAccounts(
	db: Database,
	{ tenantId, after, limit }: { tenantId: string | undefined; after: string | undefined; limit: number },
): Promise<readonly BookedAccount[]> {
	const page = [after ?? firstId, limit];
	const rows = await acrossTenants(db, (tx) =>
		tenantId === undefined
			? tx.query<AccountRow>(
					`select ${columns} from ledger_accounts a where a.tenant_id is null and a.id > $1 order by a.id limit $2`,
					page,
				)
			: tx.query<AccountRow>(
					`select ${columns} from ledger_accounts a where a.tenant_id = $3 and a.id > $1 order by a.id limit $2`,
					[...page, tenantId],
				),
	);
	return rows.map(fromAccountRow);
}

const fromAccountRow = (row: AccountRow): BookedAccount => ({
	...{ id: row.id, tenantId: row.tenant_id, code: row.code, currency: row.currency, type: row.type },
	...{ custody: row.custody, isGuarded: row.is_guarded, shards: row.shards, mergedInto: row.merged_into },
	balanceMinor: row.balance_minor,
});

/** Finds an account, as the platform owner. */
export async function findAccount(db: Database, id: string): Promise<BookedAccount | undefined> {
	const [row] = await acrossTenants(db, (tx) =>
		tx.query<AccountRow>(`select ${columns} from ledger_accounts a where a.id = $1`, [id]),
	);
	return row && fromAccountRow(row);
}

/** Gives an account so many shards, if it has fewer. */
export async function raiseShards(tx: Database, id: string, shards: number): Promise<void> {
	await tx.query("select set_ledger_shards($1, $2)", [id, shards]);
}

/** A posting of an account, with its journal. */
export type BookedPosting = {
	place: Place;
	side: string;
	amountMinor: bigint;
	effectiveAt: Date;
	purpose: string;
	source: { type: string; id: string };
	evidenceId: string;
	tenantId: string | null;
};

type PostingRow = {
	journal_id: bigint;
	line: number;
	side: string;
	amount_minor: bigint;
	place_at: bigint;
	effective_at: Date;
	purpose: string;
	source_type: string;
	source_id: string;
	evidence_id: string;
	tenant_id: string | null;
};

/**
 * Lists the postings of an account, the newest first, as the platform owner. Returns undefined if there is
 * no such account.
 */
export async function listPostings(
	db: Database,
	{ account, before, limit }: { account: string; before: Place | undefined; limit: number },
): Promise<readonly BookedPosting[] | undefined> {
	return acrossTenants(db, async (tx) => {
		const [known] = await tx.query("select from ledger_accounts where id = $1", [account]);
		if (known === undefined) return undefined;
		const rows = await tx.query<PostingRow>(
			`select p.journal_id, p.line, p.side, p.amount_minor, (extract(epoch from p.posted_at) * 1000000)::bigint as place_at,
			        j.effective_at, j.purpose, j.source_type, j.source_id, j.evidence_id, j.tenant_id
			   from postings p join journals j on j.id = p.journal_id
			  where p.account_id = $1 and ($2::bigint is null
			     or (p.posted_at, p.journal_id, p.line) < ('epoch'::timestamptz + $2::bigint * interval '1 microsecond', $3::bigint, $4::int))
			  order by p.posted_at desc, p.journal_id desc, p.line desc limit $5`,
			[account, before?.at ?? null, before?.journalId ?? null, before?.line ?? null, limit],
		);
		return rows.map(fromPostingRow);
	});
}

const fromPostingRow = (row: PostingRow): BookedPosting => ({
	place: { at: row.place_at, journalId: row.journal_id, line: row.line },
	...{ side: row.side, amountMinor: row.amount_minor, effectiveAt: row.effective_at, purpose: row.purpose },
	...{ source: { type: row.source_type, id: row.source_id }, evidenceId: row.evidence_id },
	tenantId: row.tenant_id,
});
