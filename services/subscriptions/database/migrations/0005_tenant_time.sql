-- breaking: no
-- The time zones of tenants; and, outside production, their clocks and how their payments turn out.

create table tenant_calendars (
  tenant_id uuid not null,
  time_zone text not null,
  version integer not null,
  constraint tenant_calendars__pkey primary key (tenant_id)
);
comment on table tenant_calendars is 'The time zone of a tenant, as the sign-on service last told of it';
comment on column tenant_calendars.version is 'Of the tenant at the sign-on service; a lower one is ignored';

create table test_clocks (
  tenant_id uuid not null,
  now_at timestamptz not null,
  constraint test_clocks__pkey primary key (tenant_id)
);
comment on table test_clocks is 'Outside production: the time it is for a tenant, which stands still until it is moved. Empty in production, and not read there';

create table sandbox_answers (
  tenant_id uuid not null,
  answer text not null,
  constraint sandbox_answers__pkey primary key (tenant_id),
  constraint sandbox_answers__known check (answer in ('pays', 'refuses', 'silent'))
);
comment on table sandbox_answers is 'Outside production: how what a tenant has to pay turns out, instead of as the setting says';

do $$
declare guarded text;
begin
  foreach guarded in array array['tenant_calendars', 'test_clocks', 'sandbox_answers'] loop
    execute format('alter table %I enable row level security', guarded);
    execute format('alter table %I force row level security', guarded);
    execute format('create policy %I on %I using (tenant_id = nullif(current_setting(''app.tenant_id'', true), '''')::uuid)', guarded || '__tenant', guarded);
    execute format('create policy %I on %I for select to lango_platform using (true)', guarded || '__platform', guarded);
  end loop;
end $$;

grant select, insert, update, delete on tenant_calendars, test_clocks, sandbox_answers to lango_app;
grant delete on subscriptions to lango_app;
grant select on tenant_calendars, test_clocks, sandbox_answers to lango_platform;
