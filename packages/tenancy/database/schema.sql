-- Tenants and outlets as a service other than the sign-on service knows them: copies, with the ids that service gave.

create table tenants (
  id uuid constraint tenants__pkey primary key,
  slug text not null constraint tenants__slug_unique unique,
  name text not null,
  status text not null,
  time_zone text not null,
  currency text not null,
  locale text not null,
  synced_at timestamptz not null,
  created_at timestamptz not null default now()
);
comment on table tenants is 'Customers of the platform, and the platform owner itself; copied from the sign-on service (spec §2.1).';
comment on column tenants.id is 'Given by the sign-on service and the same in every service; never made here.';
comment on column tenants.slug is 'The name in addresses. It may change; the id does not.';
comment on column tenants.status is 'Only active tenants are served.';
comment on column tenants.synced_at is 'When the sign-on service last told of it.';

create table outlets (
  id uuid constraint outlets__pkey primary key,
  tenant_id uuid not null constraint outlets__tenant_fkey references tenants (id) on update cascade,
  code text not null,
  name text not null,
  use_case text not null
    constraint outlets__use_case_check
    check (use_case in ('hospitality', 'retail', 'quick_service', 'pharmacy', 'services', 'logistics')),
  is_hq boolean not null,
  status text not null,
  settings jsonb not null,
  synced_at timestamptz not null
);
create index outlets__tenant on outlets (tenant_id);
comment on table outlets is 'Places a tenant works at; copied from the sign-on service (spec §2.2).';
comment on column outlets.status is 'archived ones are not shown in lists.';
comment on column outlets.synced_at is 'When the sign-on service last told of it.';

alter table outlets enable row level security;
alter table outlets force row level security;
create policy outlets__tenant on outlets using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy outlets__platform on outlets for select to lango_platform using (true);

grant select, insert, update on tenants to lango_app;
grant select, insert, update on outlets to lango_app;
grant select on tenants, outlets to lango_platform;
