-- breaking: no
create table loaves (
  id uuid not null default gen_random_uuid() constraint loaves__pkey primary key,
  tenant_id uuid not null constraint loaves__tenant_fkey references tenants (id) on update cascade,
  outlet_id uuid,
  name text not null,
  baked_at timestamptz not null default now()
);
create index loaves__tenant on loaves (tenant_id, id);
comment on table loaves is 'What is baked and not sold yet';
alter table loaves enable row level security;
alter table loaves force row level security;
create policy loaves__tenant on loaves using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy loaves__platform on loaves for select to lango_platform using (true);
grant select, insert, delete on loaves to lango_app;
grant select on loaves to lango_platform;
