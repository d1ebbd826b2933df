-- breaking: no
create table credit_top_ups (
  tenant_id uuid not null constraint credit_top_ups__tenant_fkey references tenants (id) on update cascade,
  id uuid not null default gen_random_uuid(),
  pack text not null,
  segments bigint not null constraint credit_top_ups__segments_check check (segments > 0),
  amount_minor bigint not null constraint credit_top_ups__amount_check check (amount_minor > 0),
  currency text not null,
  status text not null constraint credit_top_ups__status_check check (status in ('open', 'paid', 'failed', 'expired')),
  reason text,
  payment_id uuid,
  requested_by text not null,
  requested_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  constraint credit_top_ups__pkey primary key (tenant_id, id)
);
create unique index credit_top_ups__open on credit_top_ups (tenant_id) where status = 'open';
create index credit_top_ups__newest on credit_top_ups (tenant_id, requested_at desc, id desc);
comment on table credit_top_ups is 'Purchases of SMS credit. The id is the operation of the payment; the terms are those of the pack when it was bought.';
grant select, insert, update, delete on credit_top_ups to lango_app;
grant select on credit_top_ups to lango_platform;
alter table credit_top_ups enable row level security;
alter table credit_top_ups force row level security;
create policy credit_top_ups__tenant on credit_top_ups using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy credit_top_ups__platform on credit_top_ups for select to lango_platform using (true);

create or replace function prepare_merge(p_from uuid, p_to uuid)
returns void
language sql
set search_path = public, pg_temp
as $$
  select prepare_merge_of_digests(p_from, p_to);
  select prepare_merge_of_people(p_from, p_to);
  select prepare_merge_of_triggers(p_from, p_to);
  update redrives f set request_key = null from redrives d
   where d.tenant_id = p_to and f.tenant_id = p_from
     and (d.caller_kind, d.caller_id, d.request_key) = (f.caller_kind, f.caller_id, f.request_key);
  delete from idempotency_keys f using idempotency_keys d
   where d.tenant_id = p_to and f.tenant_id = p_from and (d.caller, d.key_hash) = (f.caller, f.key_hash);
  select prepare_merge_of_reputation(p_from, p_to);
  update send_days d set used = d.used + f.used, reported = d.reported + f.reported from send_days f
   where d.tenant_id = p_to and f.tenant_id = p_from and f.day = d.day;
  delete from send_days f using send_days d where d.tenant_id = p_to and f.tenant_id = p_from and f.day = d.day;
  delete from channel_buckets f using channel_buckets d
   where d.tenant_id = p_to and f.tenant_id = p_from and f.channel = d.channel;
  update lanes d set next_due_at = least(coalesce(d.next_due_at, f.next_due_at), coalesce(f.next_due_at, d.next_due_at)) from lanes f
   where d.tenant_id = p_to and f.tenant_id = p_from and f.channel = d.channel and f.class = d.class;
  delete from lanes f using lanes d
   where d.tenant_id = p_to and f.tenant_id = p_from and f.channel = d.channel and f.class = d.class;
  update credit_balances d
     set balance = d.balance + f.balance, reserved = d.reserved + f.reserved, is_low = d.balance + f.balance < d.threshold
    from credit_balances f
   where d.tenant_id = p_to and f.tenant_id = p_from;
  update credit_top_ups f set status = 'expired', ended_at = f.requested_at from credit_top_ups d
   where d.tenant_id = p_to and f.tenant_id = p_from and d.status = 'open' and f.status = 'open';
  delete from credit_balances f using credit_balances d where d.tenant_id = p_to and f.tenant_id = p_from;
$$;
