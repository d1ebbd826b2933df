-- breaking: no

-- Bills: what tenants pay to the platform

create table billing_methods (
  tenant_id uuid not null constraint billing_methods__pkey primary key
    constraint billing_methods__tenant_fkey references tenants (id) on update cascade,
  kind text not null constraint billing_methods__kind_check check (kind in ('none', 'push')),
  phone text,
  email text,
  version integer not null,
  constraint billing_methods__phone_check check ((kind = 'push') <= (phone is not null))
);
comment on table billing_methods is 'How the renewals of a tenant are collected. Without a row somebody pays each bill.';

create table withdrawn_operations (
  tenant_id uuid not null constraint withdrawn_operations__tenant_fkey references tenants (id) on update cascade,
  source_service text not null,
  operation_id uuid not null,
  withdrawn_at timestamptz not null,
  constraint withdrawn_operations__pkey primary key (tenant_id, source_service, operation_id)
);
create index withdrawn_operations__purge on withdrawn_operations (withdrawn_at);
comment on table withdrawn_operations is 'Operations that their service has closed, also before they were asked for here. Kept for 90 days.';

alter table billing_methods enable row level security;
alter table billing_methods force row level security;
create policy billing_methods__tenant on billing_methods using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy billing_methods__platform on billing_methods for select to lango_platform using (true);

alter table withdrawn_operations enable row level security;
alter table withdrawn_operations force row level security;
create policy withdrawn_operations__tenant on withdrawn_operations using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy withdrawn_operations__platform on withdrawn_operations for select to lango_platform using (true);

grant select, insert, update, delete on billing_methods, withdrawn_operations to lango_app;
grant select on billing_methods, withdrawn_operations to lango_platform;

grant select, delete on withdrawn_operations to lango_lookup;
create policy withdrawn_operations__lookup on withdrawn_operations to lango_lookup using (true);

-- Removes operations that were withdrawn long ago, of all tenants. Returns how many.
create function remove_withdrawn_operations(p_before timestamptz, p_limit integer)
returns integer
language sql security definer
set search_path = public, pg_temp
as $$
  with old as (
    select w.tenant_id, w.source_service, w.operation_id from withdrawn_operations w where w.withdrawn_at < p_before limit p_limit
  ), removed as (
    delete from withdrawn_operations w using old o
     where (w.tenant_id, w.source_service, w.operation_id) = (o.tenant_id, o.source_service, o.operation_id)
    returning 1
  )
  select count(*)::integer from removed
$$;
alter function remove_withdrawn_operations(timestamptz, integer) owner to lango_lookup;
revoke execute on function remove_withdrawn_operations(timestamptz, integer) from public;
grant execute on function remove_withdrawn_operations(timestamptz, integer) to lango_app;

-- Before two ids of a tenant are merged: of what may be there once, one stays. Intents all stay; of two of one operation or one
-- Idempotency-Key the one under the id that stays keeps it.
create function prepare_merge_of_payments(p_from uuid, p_to uuid)
returns void
language sql
set search_path = public, pg_temp
as $$
  update intents f set operation_id = f.id from intents d
   where d.tenant_id = p_to and f.tenant_id = p_from
     and (f.source_service, f.operation_id) = (d.source_service, d.operation_id);
  update intents f set idempotency_key = null from intents d
   where d.tenant_id = p_to and f.tenant_id = p_from
     and (f.created_by_kind, f.created_by, f.idempotency_key) = (d.created_by_kind, d.created_by, d.idempotency_key);
  delete from billing_methods f using billing_methods d where d.tenant_id = p_to and f.tenant_id = p_from;
  delete from withdrawn_operations f using withdrawn_operations d
   where d.tenant_id = p_to and f.tenant_id = p_from
     and (f.source_service, f.operation_id) = (d.source_service, d.operation_id);
  update recipients f set revoked_at = now() from recipients d
   where d.tenant_id = p_to and f.tenant_id = p_from and d.revoked_at is null and f.revoked_at is null
     and f.account_fingerprint = d.account_fingerprint;
  delete from halts f using halts d where d.tenant_id = p_to and f.tenant_id = p_from and f.scope = d.scope;
  delete from receipts f using receipts d
   where f.tenant_id in (p_from, p_to) and d.tenant_id in (p_from, p_to) and f.tenant_id <> d.tenant_id and f.state = 'unverified'
     and (d.state = 'verified' or f.tenant_id = p_from) and (f.gateway, f.kind, f.receipt) = (d.gateway, d.kind, d.receipt);
$$;
revoke execute on function prepare_merge_of_payments(uuid, uuid) from public;

-- Before two ids of a tenant are merged (decision 0045).
create or replace function prepare_merge(p_from uuid, p_to uuid)
returns void
language sql
set search_path = public, pg_temp
as $$
  select prepare_merge_of_ledger(p_from, p_to);
  select prepare_merge_of_gateways(p_from, p_to);
  select prepare_merge_of_payments(p_from, p_to);
$$;
