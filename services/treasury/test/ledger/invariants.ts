import { sealJournals } from "../../src/ledger/seal-journals.ts";
import { findLedgerProblems } from "../../src/ledger/verify-ledger.ts";
import type { Book } from "./book.ts";

/** Seals what was posted, and returns what the nightly check and the invariants find; empty: nothing. */
export async function sealAndCheck(book: Book): Promise<readonly object[]> {
	await sealJournals(book.db);
	return [...(await findLedgerProblems(book.db)), ...(await findViolations(book))];
}

/** Returns what is wrong in the ledger at one moment, by the invariants of the design; empty: nothing. */
export async function findViolations({ read }: Pick<Book, "read">): Promise<readonly object[]> {
	const rows = await read<{ violation: object }>(invariants);
	return rows.map(({ violation }) => violation);
}

/** One statement, so that it sees one moment. */
const invariants = `
with moved as (
  select p.account_id, p.journal_id, a.currency, case p.side when 'debit' then p.amount_minor else -p.amount_minor end as amount
    from postings p join ledger_accounts a on a.id = p.account_id
), summed as (
  select account_id, sum(amount) as moved from moved group by account_id
), booked as (
  select a.id, a.code, a.currency, a.is_guarded, sum(b.balance_minor) as balance,
         case when a.type in ('asset', 'expense') then 1 else -1 end as direction
    from ledger_accounts a join ledger_balances b on b.account_id = a.id group by a.id
)
select jsonb_build_object('rule', 'I1: debit = credit in every journal', 'journal', journal_id) as violation
  from moved group by journal_id, currency having sum(amount) <> 0
union all
select jsonb_build_object('rule', 'I2: all accounts add up to 0', 'currency', currency, 'sum', sum(direction * balance))
  from booked group by currency having sum(direction * balance) <> 0
union all
select jsonb_build_object('rule', 'I3: a balance is the sum of its postings', 'account', code, 'balance', balance)
  from booked left join summed on account_id = booked.id where balance <> direction * coalesce(moved, 0)
union all
select jsonb_build_object('rule', 'I5: no guarded account is negative', 'account', code, 'balance', balance)
  from booked where is_guarded and balance < 0`;
