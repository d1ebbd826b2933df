-- breaking: no
create table notices (
  tenant_id uuid not null constraint notices__pkey primary key
    constraint notices__tenant_fkey references tenants (id) on update cascade,
  text text not null
);
comment on table notices is 'What hangs in the window of each tenant';
alter table notices enable row level security;
alter table notices force row level security;
create policy notices__tenant on notices using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
grant select, insert, update on notices to lango_app;
