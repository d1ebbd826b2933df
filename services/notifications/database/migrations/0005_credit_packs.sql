-- breaking: no
-- Packs of SMS credit, grants that are made once, and a merged balance whose warning is right.

create table credit_packs (
  code text not null constraint credit_packs__pkey primary key
    constraint credit_packs__code_check check (code ~ '^[a-z][a-z0-9_]{0,59}$'),
  segments bigint not null constraint credit_packs__segments_check check (segments between 1 and 10000000),
  price_minor bigint not null constraint credit_packs__price_check check (price_minor > 0),
  currency text not null constraint credit_packs__currency_check check (currency ~ '^[A-Z]{3}$'),
  is_on_sale boolean not null,
  updated_at timestamptz not null
);
comment on table credit_packs is 'Packs of SMS segments that tenants can buy: the platform''s, one row for each size and currency.';

grant select, insert, update on credit_packs to lango_app;
grant select on credit_packs to lango_platform;

alter table credit_entries
  add column request_key text,
  add constraint credit_entries__request_unique unique (tenant_id, made_by, request_key);
comment on column credit_entries.request_key is 'The Idempotency-Key of a grant: the same grant is made once.';

-- Takes over the rows of an id of the tenant that is merged into another (decision 0045): e-mails of
-- a day and credit are added, buckets and lanes are joined.
create or replace function prepare_merge(p_from uuid, p_to uuid)
returns void
language sql
set search_path = public, pg_temp
as $$
  select prepare_merge_of_people(p_from, p_to);
  update send_days d set used = d.used + f.used from send_days f
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
  delete from credit_balances f using credit_balances d where d.tenant_id = p_to and f.tenant_id = p_from;
$$;
