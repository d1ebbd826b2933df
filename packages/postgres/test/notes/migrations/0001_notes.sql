-- breaking: no
create table notes (
  id uuid not null default gen_random_uuid(),
  tenant_id uuid not null,
  body text not null,
  constraint notes__pkey primary key (id)
);
alter table notes enable row level security;
alter table notes force row level security;
create policy notes__tenant on notes
  using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
grant select, insert, update, delete on notes to lango_app;

create table counters (
  name text not null,
  value integer not null default 0,
  constraint counters__pkey primary key (name)
);
grant select, insert, update on counters to lango_app;
comment on table counters is 'Numbers of no tenant.';
