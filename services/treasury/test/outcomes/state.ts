import { inTenant } from "@lango/postgres";
import type { Counter } from "./counter.ts";

/** What a tenant has: everything that evidence changes, without ids and times. */
export type State = {
	intents: Array<{ status: string; received: number }>;
	attempts: Array<{ status: string; failure_code: string | null }>;
	receipts: Array<{ receipt: string | null; amount: number; allocated: number }>;
	payments: number[];
	balances: Record<string, number>;
};

/** Reads the state of a tenant. */
export async function stateOf({ db, balances }: Counter, tenantId: string): Promise<State> {
	const read = <R extends Record<string, unknown>>(text: string) =>
		inTenant(db, tenantId, (tx) => tx.query<R>(text, [tenantId]));
	const payments = await read<{ amount: number }>(
		"select amount_minor::int as amount from payments where tenant_id = $1 order by amount_minor, id",
	);
	return {
		intents: await read(
			"select status, received_minor::int as received from intents where tenant_id = $1 order by created_at, id",
		),
		attempts: await read(
			`select a.status, a.failure_code from attempts a join intents i on i.tenant_id = a.tenant_id and i.id = a.intent_id
			  where a.tenant_id = $1 order by i.created_at, i.id, a.seq`,
		),
		receipts: await read(
			`select receipt, amount_minor::int as amount, allocated_minor::int as allocated from receipts
			  where tenant_id = $1 order by receipt collate "C" nulls first, id`,
		),
		payments: payments.map(({ amount }) => amount),
		balances: await balances(tenantId),
	};
}

/** Returns what breaks a rule about a tenant's money besides those of the ledger; empty: nothing. */
export function findBroken(
	{ db }: Pick<Counter, "db">,
	tenantId: string,
): Promise<Array<{ rule: string; id: string }>> {
	return inTenant(db, tenantId, (tx) => tx.query(rules, [tenantId]));
}

const rules = `
select 'I7: one collection for each attempt' as rule, attempt_id::text as id
  from receipts where tenant_id = $1 and attempt_id is not null group by attempt_id having count(*) > 1
union all
select 'I7: one collection for each receipt', r.id::text
  from receipts r left join journals j on j.source_type = 'receipt' and j.source_id = r.id and j.purpose in ('collection', 'suspense')
 where r.tenant_id = $1 and r.state = 'verified'
   -- The platform owner has the journal of a receipt that was taken from there.
   and not exists (select from evidence e where e.object_id = r.id and e.said ? 'takenFrom')
 group by r.id having count(j.id) <> 1
union all
select 'I8: allocated is what was paid of it, and what was paid to the platform', r.id::text
  from receipts r left join (
    select p.receipt_id, sum(p.amount_minor) as paid from payments p join intents i on i.tenant_id = p.tenant_id and i.id = p.intent_id
     where p.tenant_id = $1 and i.payee = 'tenant' group by p.receipt_id) t on t.receipt_id = r.id
 where r.tenant_id = $1 and r.allocated_minor <> r.platform_minor + coalesce(t.paid, 0)
union all
select 'I8: received is the sum of the payments', i.id::text
  from intents i left join payments p on p.tenant_id = i.tenant_id and p.intent_id = i.id
 where i.tenant_id = $1 group by i.id, i.received_minor having i.received_minor <> coalesce(sum(p.amount_minor), 0)
union all
select 'I14: every journal has its evidence', j.id::text
  from journals j where j.tenant_id = $1 and not exists (
    select from evidence e where e.tenant_id = j.tenant_id and e.id = j.evidence_id)
union all
select 'I22: each change of a state has one event, in order', i.id::text
  from intents i left join lateral (
    select array_agg((o.envelope->'data'->>'version')::int order by o.position) as versions from outbox o
     where o.envelope->>'type' = 'treasury.intent.changed' and o.envelope->'data'->>'intent_id' = i.id::text) published on true
 where i.tenant_id = $1 and (
   -- To ask again raises the version, too, and changes no state.
   coalesce(cardinality(versions), 0) <> i.version - i.asked_attempt
   or versions <> array(select distinct v from unnest(versions) v order by v))
union all
select 'I22: an intent that is paid is published as paid, once', i.id::text
  from intents i
 where i.tenant_id = $1 and (i.status = 'succeeded')::int <> (
   select count(distinct o.envelope->'data') from outbox o
    where o.envelope->>'type' = 'treasury.payment.succeeded' and o.envelope->'data'->>'intent_id' = i.id::text)
union all
select 'I25: a bill is paid by one payment of its amount, or not', i.id::text
  from intents i left join payments p on p.tenant_id = i.tenant_id and p.intent_id = i.id
 where i.tenant_id = $1 and i.payee = 'platform'
 group by i.id, i.status, i.amount_minor
having coalesce(array_agg(p.amount_minor) filter (where p.id is not null), '{}') <>
       case when i.status = 'succeeded' then array[i.amount_minor] else '{}' end
union all
select 'I25: what was received for the platform is income or unapplied', $1::text
 where (select coalesce(sum(r.platform_minor), 0) from receipts r where r.tenant_id = $1)
    <> (select coalesce(sum(p.amount_minor), 0) from postings p join journals j on j.id = p.journal_id
         where j.tenant_id = $1 and j.purpose = 'application' and p.side = 'debit')
     + (select coalesce(sum(balance_minor), 0) from tenant_balances() where code = 'unapplied')`;
