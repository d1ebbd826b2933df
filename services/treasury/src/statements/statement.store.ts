import type { Database } from "@lango/postgres";
import type { Place } from "../ledger/place.ts";
import { listReceiptNumbers } from "./receipt-number.store.ts";
import type { Days, StatementLine } from "./statement.ts";

/** The accounts and the first and last moment of a statement: at or after `from`, before `until`. */
export type StatementRange = { accountIds: readonly string[]; from: Place; until: Place };

/** What a statement says of its tenant. */
export type StatementTenant = { name: string; currency: string; timeZone: string; locale: string };

/** Returns what a statement says of its tenant. */
export async function getStatementTenant(db: Database, tenantId: string): Promise<StatementTenant> {
	const [row] = await db.query<{ name: string; currency: string; time_zone: string; locale: string }>(
		"select name, currency, time_zone, locale from tenants where id = $1",
		[tenantId],
	);
	if (row === undefined) throw new Error("the tenant of the request is not stored");
	return { name: row.name, currency: row.currency, timeZone: row.time_zone, locale: row.locale };
}

/** The codes, the currency and the days of a statement. */
export type RangeWanted = { codes: readonly string[]; currency: string; days: Days; timeZone: string };

/**
 * Finds the accounts of the current tenant with these codes in a currency, and the moments of the days in
 * the time zone. Call it inside the tenant.
 */
export async function findRange(
	tx: Database,
	{ codes, currency, days, timeZone }: RangeWanted,
): Promise<StatementRange> {
	const [row] = await tx.query<{ ids: string[]; from_at: bigint; until_at: bigint }>(
		`select array(
		          select id from ledger_accounts
		           where currency = $2 and (code = any ($1) or 'suspense.*' = any ($1) and code like 'suspense.%')) as ids,
		        (extract(epoch from $3::date::timestamp at time zone $5) * 1000000)::bigint as from_at,
		        (extract(epoch from ($4::date + 1)::timestamp at time zone $5) * 1000000)::bigint as until_at`,
		[codes, currency, days.from, days.to, timeZone],
	);
	if (row === undefined) throw new Error("the moments of a statement were not computed");
	return { accountIds: row.ids, from: startOf(row.from_at), until: startOf(row.until_at) };
}

const startOf = (at: bigint): Place => ({ at, journalId: 0n, line: 0 });

/** What the accounts add up to before a posting, as it means for the tenant. Call it inside the tenant. */
export async function getBalanceBefore(
	tx: Database,
	accountIds: readonly string[],
	{ at, journalId, line }: Place,
): Promise<bigint> {
	const [row] = await tx.query<{ balance: bigint }>(
		`select tenant_balance_before($1, 'epoch'::timestamptz + $2::bigint * interval '1 microsecond', $3, $4) as balance`,
		[accountIds, at, journalId, line],
	);
	return row?.balance ?? 0n;
}

type LineRow = {
	place_at: bigint;
	journal_id: bigint;
	line: number;
	effective_at: Date;
	purpose: string;
	source_type: string;
	source_id: string;
	code: string;
	amount_minor: bigint;
};

/**
 * Lists the lines of a statement from a place on, in the order of posting, with the balance after each.
 * Reads of each account only what the page may need. Call it inside the tenant.
 */
export async function listLines(
	tx: Database,
	{ accountIds, from, until }: StatementRange,
	limit: number,
): Promise<readonly StatementLine[]> {
	let balanceMinor = await getBalanceBefore(tx, accountIds, from);
	const rows = await tx.query<LineRow>(
		`select (extract(epoch from p.posted_at) * 1000000)::bigint as place_at, p.journal_id, p.line, j.effective_at, j.purpose,
		        j.source_type, j.source_id, a.code, case p.side when 'credit' then p.amount_minor else -p.amount_minor end as amount_minor
		   from unnest($1::uuid[]) wanted (account_id)
		  cross join lateral (
		    select * from postings o
		     where o.account_id = wanted.account_id and o.posted_at < 'epoch'::timestamptz + $5::bigint * interval '1 microsecond'
		       and (o.posted_at, o.journal_id, o.line) >= ('epoch'::timestamptz + $2::bigint * interval '1 microsecond', $3::bigint, $4::int)
		     order by o.posted_at, o.journal_id, o.line limit $6) p
		   join journals j on j.id = p.journal_id
		   join ledger_accounts a on a.id = p.account_id
		  order by p.posted_at, p.journal_id, p.line limit $6`,
		[accountIds, from.at, from.journalId, from.line, until.at, limit],
	);
	const sources = rows.map(({ source_type, source_id, purpose }) => ({
		type: source_type,
		id: source_id,
		purpose,
	}));
	const receipts = await listReceiptNumbers(tx, sources);
	return rows.map((row, index) => {
		balanceMinor += row.amount_minor;
		return {
			place: { at: row.place_at, journalId: row.journal_id, line: row.line },
			effectiveAt: row.effective_at,
			purpose: row.purpose,
			source: { type: row.source_type, id: row.source_id },
			receipt: receipts[index] ?? null,
			account: row.code,
			amountMinor: row.amount_minor,
			balanceMinor,
		};
	});
}

/** Counts the lines of a statement, up to `max` of them. Call it inside the tenant. */
export async function countLines(
	tx: Database,
	{ accountIds, from, until }: StatementRange,
	max: number,
): Promise<number> {
	const [row] = await tx.query<{ many: number }>(
		`select count(*)::int as many from (
		   select from postings
		    where account_id = any ($1) and posted_at >= 'epoch'::timestamptz + $2::bigint * interval '1 microsecond'
		      and posted_at < 'epoch'::timestamptz + $3::bigint * interval '1 microsecond' limit $4) found`,
		[accountIds, from.at, until.at, max],
	);
	return row?.many ?? 0;
}

/** A balance of an account of the tenant, in the direction in which the account grows. */
export type TenantBalance = { code: string; currency: string; balanceMinor: bigint };

/** Lists the balances of the current tenant's accounts. Call it inside the tenant. */
export async function listBalances(tx: Database): Promise<readonly TenantBalance[]> {
	const rows = await tx.query<{ code: string; currency: string; balance_minor: bigint }>(
		"select code, currency, balance_minor from tenant_balances() order by currency, code",
	);
	return rows.map(({ code, currency, balance_minor }) => ({ code, currency, balanceMinor: balance_minor }));
}
