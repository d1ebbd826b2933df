-- breaking: no

-- Halts: the operator's kill switches

create table halts (
  scope text not null constraint halts__scope_check check (scope in ('collections', 'payouts', 'refunds')),
  tenant_id uuid constraint halts__tenant_fkey references tenants (id) on update cascade,
  is_on boolean not null,
  because text not null constraint halts__because_check check (length(because) between 1 and 300),
  set_by text not null,
  set_at timestamptz not null,
  constraint halts__scope_unique unique nulls not distinct (tenant_id, scope)
);
comment on table halts is 'What is not sent for now, for every tenant or for one.';
comment on column halts.tenant_id is 'Null: for every tenant; such a row is visible inside of every tenant, and is changed outside only.';

alter table halts enable row level security;
alter table halts force row level security;
create policy halts__tenant on halts
  using (tenant_id is null or tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid)
  with check (tenant_id is not distinct from nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy halts__platform on halts for select to lango_platform using (true);
grant select, insert, update on halts to lango_app;
grant select on halts to lango_platform;
