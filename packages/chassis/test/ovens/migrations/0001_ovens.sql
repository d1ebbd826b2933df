-- breaking: no
-- Tables as a team would add them: one that no foreign key ties to the tenant, one that hangs on a person.
create table ovens (
  tenant_id uuid not null,
  place integer not null,
  heat integer not null,
  constraint ovens__pkey primary key (tenant_id, place)
);
alter table ovens enable row level security;
alter table ovens force row level security;
create policy ovens__tenant on ovens using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
grant select, insert, update, delete on ovens to lango_app;

create table shifts (
  id uuid not null default gen_random_uuid() constraint shifts__pkey primary key,
  tenant_id uuid not null,
  user_id uuid not null,
  day date not null,
  constraint shifts__user_fkey foreign key (tenant_id, user_id) references users (tenant_id, id) on update cascade,
  constraint shifts__day_unique unique (user_id, day)
);
alter table shifts enable row level security;
alter table shifts force row level security;
create policy shifts__tenant on shifts using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
grant select, insert, update, delete on shifts to lango_app;
