-- breaking: no

-- Questions to the mobile-money gateway, whose answers come by a callback.

create table gateway_queries (
  tenant_id uuid not null constraint gateway_queries__tenant_fkey references tenants (id) on update cascade,
  id uuid not null,
  kind text not null constraint gateway_queries__kind_check check (kind in ('balance', 'status')),
  status text not null constraint gateway_queries__status_check check (status in
    ('submitting', 'awaiting', 'unknown', 'failed', 'answered')),
  shortcode text not null,
  receipt text,
  originator_id text,
  result jsonb,
  failure_code text,
  gateway_originator_id text,
  gateway_conversation_id text,
  created_by_kind text not null,
  created_by text not null,
  created_at timestamptz not null,
  ended_at timestamptz,
  constraint gateway_queries__pkey primary key (tenant_id, id),
  constraint gateway_queries__about_check check ((kind = 'balance') = (receipt is null and originator_id is null)),
  constraint gateway_queries__result_check check ((status = 'answered') = (result is not null)),
  constraint gateway_queries__ended_check check ((ended_at is not null) = (status in ('failed', 'answered')))
);
create index gateway_queries__balances on gateway_queries (tenant_id, shortcode, id desc) where kind = 'balance' and status = 'answered';
create index gateway_queries__receipt on gateway_queries (tenant_id, receipt, id desc) where receipt is not null;
comment on table gateway_queries is 'Questions about a transaction or the balances of a shortcode. The gateway answers by a callback.';
comment on column gateway_queries.receipt is 'The number of the receipt that a status query is about; else originator_id is set.';
comment on column gateway_queries.gateway_originator_id is 'The id that the gateway gave the question; its result names it.';

alter table gateway_queries enable row level security;
alter table gateway_queries force row level security;
create policy gateway_queries__tenant on gateway_queries using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy gateway_queries__platform on gateway_queries for select to lango_platform using (true);
grant select, insert, update, delete on gateway_queries to lango_app;
grant select on gateway_queries to lango_platform;
