import { acrossTenants, inTenant } from "@lango/postgres";
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

type Broken = { rule: string; id: string };

/** Returns what breaks a rule about a tenant's money besides those of the ledger; empty: nothing. */
export async function findBroken({ db }: Pick<Counter, "db">, tenantId: string): Promise<readonly Broken[]> {
	const broken = await inTenant(db, tenantId, async (tx) => {
		const found: Broken[] = [];
		const balances = JSON.stringify(
			await tx.query("select code, balance_minor::text from tenant_balances()"),
		);
		for (const rule of rules)
			found.push(...(await tx.query<Broken>(rule, [tenantId, ...(rule.includes("$2") ? [balances] : [])])));
		return found;
	});
	return [...broken, ...(await acrossTenants(db, (tx) => tx.query<Broken>(incomeRule, [tenantId])))];
}

/** The account is the platform's, whose postings no tenant reads. */
const incomeRule = `
with posted as materialized (
  select coalesce(sum(case p.side when 'credit' then p.amount_minor else -p.amount_minor end), 0) as income
    from journals j join postings p on p.journal_id = j.id join ledger_accounts a on a.id = p.account_id
   where j.tenant_id = $1::uuid and a.tenant_id is null and a.code = 'platform.income'
), paid as materialized (
  select coalesce(sum(p.amount_minor), 0) as bills
    from payments p join intents i on i.tenant_id = p.tenant_id and i.id = p.intent_id
   where p.tenant_id = $1::uuid and i.payee = 'platform'
), held as materialized (
  select coalesce(sum(amount_minor), 0) as income
    from receipt_holds where tenant_id = $1::uuid and source = 'income' and state <> 'released'
)
select 'I25: the income of the platform is what paid bills, less what was taken of it to return it' as rule, $1::uuid::text as id
  from posted, paid, held where posted.income <> paid.bills - held.income`;

/** The balances of the tenant's accounts (`$2`): a node has no ledger to read them from. */
const balances = "jsonb_to_recordset($2) as b (code text, balance_minor bigint)";

/** Each reads what is not a tenant's own table first: a cluster does not join it with one of a tenant. */
const rules = `
select 'I7: one collection for each attempt' as rule, attempt_id::text as id
  from receipts where tenant_id = $1 and attempt_id is not null group by attempt_id having count(*) > 1
union all
-- Rule
with posted as materialized (
  select id, source_id from journals where source_type = 'receipt' and purpose in ('collection', 'suspense')
)
select 'I7: one collection for each receipt' as rule, r.id::text as id from receipts r left join posted j on j.source_id = r.id
 where r.tenant_id = $1 and r.kind = 'collection' and r.state = 'verified'
   -- The platform owner has the journal of a receipt that was taken from there.
   and not exists (select from evidence e where e.tenant_id = $1 and e.object_id = r.id and e.said ? 'takenFrom')
 group by r.id having count(j.id) <> 1
union all
-- Rule
select 'I8: allocated is what was paid of it, and what was paid to the platform' as rule, r.id::text as id
  from receipts r left join (
    select p.receipt_id, sum(p.amount_minor) as paid from payments p join intents i on i.tenant_id = p.tenant_id and i.id = p.intent_id
     where p.tenant_id = $1 and i.payee = 'tenant' group by p.receipt_id) t on t.receipt_id = r.id
 where r.tenant_id = $1 and r.kind = 'collection' and r.allocated_minor <> r.platform_minor + coalesce(t.paid, 0)
union all
-- Rule
select 'I8: received is the sum of the payments' as rule, i.id::text as id
  from intents i left join payments p on p.tenant_id = i.tenant_id and p.intent_id = i.id
 where i.tenant_id = $1 group by i.id, i.received_minor having i.received_minor <> coalesce(sum(p.amount_minor), 0)
union all
-- Rule
with posted as materialized (select id, evidence_id from journals where tenant_id = $1)
select 'I14: every journal has its evidence' as rule, j.id::text as id
  from posted j left join (select id from evidence where tenant_id = $1) e on e.id = j.evidence_id where e.id is null
union all
-- Rule
with events as materialized (
  select o.envelope->'data'->>'intent_id' as intent_id, array_agg((o.envelope->'data'->>'version')::int order by o.position) as versions,
         (array_agg(o.envelope->'data' order by o.position desc))[1] as last
    from outbox o where o.envelope->>'type' = 'treasury.intent.changed' group by 1
)
select 'I22: each change of a state has one event, in order, and the last one says what the intent has' as rule, i.id::text as id
  from (select i.*, versions,
               -- Without an event it is as it was made.
               coalesce(last, '{"status": "requires_payment", "received_minor": 0, "refunded_minor": 0}') as last
          from intents i left join events on events.intent_id = i.id::text) i
 where i.tenant_id = $1 and (
   -- To ask again raises the version, too, and changes no state.
   coalesce(cardinality(versions), 0) <> i.version - i.asked_attempt
   or versions <> array(select distinct v from unnest(versions) v order by v)
   or (last->>'status', last->>'received_minor', last->>'refunded_minor')
      is distinct from (i.status, i.received_minor::text, i.refunded_minor::text))
union all
-- Rule
select 'what is returned of a payment is what refunds and disputes returned of it, once' as rule, p.id::text as id
  from payments p left join receipt_holds h on h.tenant_id = p.tenant_id and h.payment_id = p.id and h.state = 'returned'
 where p.tenant_id = $1 group by p.id, p.amount_minor, p.refunded_minor
having p.refunded_minor <> least(p.amount_minor, coalesce(sum(h.amount_minor), 0))
union all
-- Rule
select 'what is returned of an intent is what is returned of its payments' as rule, i.id::text as id
  from intents i left join payments p on p.tenant_id = i.tenant_id and p.intent_id = i.id
 where i.tenant_id = $1 group by i.id, i.refunded_minor having i.refunded_minor <> coalesce(sum(p.refunded_minor), 0)
union all
-- Rule
with events as materialized (
  select o.envelope->'data'->>'intent_id' as intent_id, count(distinct o.envelope->'data') as found
    from outbox o where o.envelope->>'type' = 'treasury.payment.succeeded' group by 1
)
select 'I22: an intent that is paid is published as paid, once' as rule, i.id::text as id
  from intents i left join events on events.intent_id = i.id::text
 where i.tenant_id = $1 and (i.status = 'succeeded')::int <> coalesce(events.found, 0)
union all
-- Rule
select 'I25: a bill is paid by one payment of its amount, or not' as rule, i.id::text as id
  from intents i left join payments p on p.tenant_id = i.tenant_id and p.intent_id = i.id
 where i.tenant_id = $1 and i.payee = 'platform'
 group by i.id, i.status, i.amount_minor
having coalesce(array_agg(p.amount_minor) filter (where p.id is not null), '{}') <>
       case when i.status = 'succeeded' then array[i.amount_minor] else '{}' end
union all
-- Rule
with applied as materialized (
  select (select coalesce(sum(p.amount_minor), 0) from postings p join journals j on j.id = p.journal_id
           where j.tenant_id = $1 and j.purpose = 'application' and p.side = 'debit')
       + (select coalesce(sum(balance_minor), 0) from ${balances} where code = 'unapplied') as amount
), received as (select coalesce(sum(platform_minor), 0) as amount from receipts where tenant_id = $1
), taken as (
  -- What was taken of income to return it was applied before.
  select coalesce(sum(amount_minor), 0) as amount from receipt_holds where tenant_id = $1 and source = 'unapplied' and state <> 'released'
)
select 'I25: what was received for the platform is income or unapplied' as rule, $1::uuid::text as id from applied, received, taken
 where received.amount <> applied.amount + taken.amount
union all
-- Rule
-- One that had failed may be processed after all, when its money was asked for again.
select 'I9: what is asked to be refunded is at most what was paid' as rule, p.id::text as id
  from payments p join receipt_holds h on h.tenant_id = p.tenant_id and h.payment_id = p.id and h.state <> 'released'
  join refunds r on r.tenant_id = h.tenant_id and r.id = h.object_id and r.origin = 'request'
 where p.tenant_id = $1 and not exists (select from evidence e where e.tenant_id = r.tenant_id and e.object_kind = 'refund'
       and e.object_id = r.id and e.said->>'kind' = 'failed')
 group by p.id, p.amount_minor having sum(h.amount_minor) > p.amount_minor
union all
-- Rule
select 'I9: what was returned of a receipt beside payments is what refunds and disputes took of it' as rule, r.id::text as id
  from receipts r left join receipt_holds h
    on h.tenant_id = r.tenant_id and h.receipt_id = r.id and h.source = 'suspense' and h.state <> 'released'
 where r.tenant_id = $1 group by r.id, r.refunded_minor having coalesce(sum(h.amount_minor), 0) <> r.refunded_minor
union all
-- Rule
select 'the parts of a refund or a dispute add up to its amount, and are in its state' as rule, o.id::text as id
  from (select id, amount_minor, case status when 'failed' then 'released' when 'processed' then 'returned' else 'held' end as state
          from refunds where tenant_id = $1
        union all
        select id, amount_minor, case status when 'won' then 'released' when 'lost' then 'returned' else 'held' end
          from disputes where tenant_id = $1) o
  left join receipt_holds h on h.tenant_id = $1 and h.object_id = o.id
 group by o.id, o.amount_minor, o.state having sum(h.amount_minor) is distinct from o.amount_minor or bool_or(h.state <> o.state)
union all
-- Rule
with held as (
  select case h.object_kind when 'refund' then 'tenant.refunding' else 'tenant.disputed' end as code, sum(h.amount_minor) as amount
    from receipt_holds h join receipts r on r.tenant_id = h.tenant_id and r.id = h.receipt_id
   where h.tenant_id = $1 and h.state = 'held' and (r.shortcode is null or r.custody = 'platform') group by 1
)
select 'what is held is in its account: ' || k.code as rule, $1::uuid::text as id
  from (values ('tenant.refunding'), ('tenant.disputed')) k (code) left join held on held.code = k.code
 where (select coalesce(sum(b.balance_minor), 0) from ${balances} where b.code = k.code) <> coalesce(held.amount, 0)
union all
-- Rule
select 'debt and available money are never both there' as rule, $1::uuid::text as id
 where (select count(*) from ${balances} where code in ('tenant.debt', 'tenant.available') and balance_minor > 0) > 1
union all
-- Rule
select 'what is pending is what the payments have pending' as rule, $1::uuid::text as id
 where (select coalesce(sum(balance_minor), 0) from ${balances} where code = 'tenant.pending') <> (select coalesce(sum(pending_minor), 0) from payments where tenant_id = $1)
union all
-- Rule
with published as materialized (
    select e.envelope->>'type' as type,
           coalesce(e.envelope->'data'->>'refund_id', e.envelope->'data'->>'dispute_id', e.envelope->'data'->>'payout_id') as id,
           array_agg((e.envelope->'data'->>'version')::int order by e.position) as versions
      from outbox e
     where e.envelope->>'type' in ('treasury.refund.changed', 'treasury.dispute.changed', 'treasury.payout.changed')
       and e.envelope->'data'->>'tenant_id' = $1::uuid::text
     group by 1, 2
)
select 'I22: each change of a refund, a dispute or a payout has one event, in order' as rule, o.id::text as id
  from (select id, version, 'treasury.refund.changed' as type from refunds where tenant_id = $1
        union all
        select id, version, 'treasury.dispute.changed' from disputes where tenant_id = $1
        union all
        select id, version, 'treasury.payout.changed' from payouts where tenant_id = $1) o
  left join published on published.type = o.type and published.id = o.id::text
 where versions is distinct from array(select generate_series(1, o.version))`.split("union all\n-- Rule\n");
