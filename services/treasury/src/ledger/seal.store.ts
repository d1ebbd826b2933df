import type { Database } from "@lango/postgres";

/** A difference that the nightly check found. */
export type LedgerProblem = { about: string; problem: string };

/** An id before every other one: the first page begins after it. */
export const firstId = "00000000-0000-0000-0000-000000000000";

/** A page of ids or of numbers of seals: those after `after`. */
type After<K> = { after: K; limit: number };

/** Seals committed journals, 50,000 at most. Returns how many. */
export async function addSeal(db: Database): Promise<bigint> {
	const [row] = await db.query<{ sealed: bigint }>("select seal_journals() as sealed");
	return row?.sealed ?? 0n;
}

/** Closes the days of a page of accounts. Returns the last of them; undefined after the last page. */
export async function closeDays(db: Database, { after, limit }: After<string>): Promise<string | undefined> {
	const [row] = await db.query<{ last: string | null }>("select close_ledger_days($1, $2) as last", [
		after,
		limit,
	]);
	return row?.last ?? undefined;
}

/** Returns the number of the last seal; 0 if there is none. */
export async function lastSeal(db: Database): Promise<bigint> {
	const [row] = await db.query<{ seq: bigint }>("select coalesce(max(seq), 0) as seq from journal_seals");
	return row?.seq ?? 0n;
}

/** Lists seals of a page that do not follow from the seal before them and from their journals. */
export async function listBrokenSeals(
	db: Database,
	{ after, limit }: After<bigint>,
): Promise<readonly LedgerProblem[]> {
	const rows = await db.query<{ seq: bigint; problem: string }>("select * from verify_seals($1, $2)", [
		after,
		limit,
	]);
	return rows.map(({ seq, problem }) => ({ about: `seal ${seq}`, problem }));
}

/** A page of accounts: its last id, undefined after the last page, and what is wrong in them. */
export type AccountsChecked = { last: string | undefined; problems: readonly LedgerProblem[] };

type AccountRow = {
	account_id: string;
	code: string;
	is_overdrawn: boolean;
	balance_minor: string;
	posted_minor: string;
	wrong_day: string | null;
};

/** Compares the balances and the closed days of a page of accounts with their postings. */
export async function checkAccounts(db: Database, { after, limit }: After<string>): Promise<AccountsChecked> {
	const rows = await db.query<AccountRow>("select * from verify_accounts($1, $2)", [after, limit]);
	return { last: rows.at(-1)?.account_id, problems: rows.flatMap(problemsOf) };
}

function problemsOf(row: AccountRow): readonly LedgerProblem[] {
	const about = `account ${row.account_id} (${row.code})`;
	const found = [
		row.is_overdrawn && "is negative",
		row.balance_minor !== row.posted_minor &&
			`has the balance ${row.balance_minor}, and its postings add up to ${row.posted_minor}`,
		row.wrong_day !== null && `closed ${row.wrong_day} with another balance than its postings`,
	];
	return found.flatMap((problem) => (problem === false ? [] : [{ about, problem }]));
}

/** Lists the currencies in which all balances do not add up to 0. */
export async function listUnequalTotals(db: Database): Promise<readonly LedgerProblem[]> {
	const rows = await db.query<{ currency: string; total_minor: string }>(
		"select currency, total_minor from ledger_totals() where total_minor <> 0",
	);
	return rows.map(({ currency, total_minor }) => ({
		about: `all accounts in ${currency}`,
		problem: `add up to ${total_minor} instead of 0`,
	}));
}
