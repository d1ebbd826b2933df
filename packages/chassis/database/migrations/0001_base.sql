-- breaking: no
-- What every domain service keeps of its own running: settings that may be changed while it runs, and its limits.

create table service_config (
  tenant_id uuid not null constraint service_config__tenant_fkey references tenants (id) on update cascade,
  key text not null constraint service_config__key_check check (key ~ '^[a-z][a-z0-9_.-]{0,62}$'),
  value jsonb not null,
  changed_by text not null,
  changed_at timestamptz not null,
  constraint service_config__pkey primary key (tenant_id, key)
);
comment on table service_config is 'Key-value settings of the service that a tenant has instead of the platform''s defaults (spec §2.4).';
comment on column service_config.changed_by is 'The id of the person, client or key that set it.';

create table platform_config (
  key text constraint platform_config__pkey primary key constraint platform_config__key_check check (key ~ '^[a-z][a-z0-9_.-]{0,62}$'),
  value jsonb not null,
  changed_by text not null,
  changed_at timestamptz not null
);
comment on table platform_config is 'Key-value settings of the service: the platform''s default for every tenant without an entry of its own (spec §2.4).';
comment on column platform_config.changed_by is 'The id of the person, client or key that set it.';

alter table service_config enable row level security;
alter table service_config force row level security;
create policy service_config__tenant on service_config
  using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy service_config__platform on service_config for select to lango_platform using (true);
grant select, insert, update, delete on service_config to lango_app;
grant select on service_config to lango_platform;
grant select on platform_config to lango_app, lango_platform;
grant select, insert, update, delete on platform_config to lango_lookup;

-- Sets a platform default, or removes it when the value is null; returns what it was. Called for the platform owner alone.
create function set_config_default(p_key text, p_value jsonb, p_changed_by text, p_now timestamptz)
returns jsonb
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  before jsonb;
begin
  select value into before from platform_config where key = p_key for update;
  if p_value is null then
    delete from platform_config where key = p_key;
  else
    insert into platform_config (key, value, changed_by, changed_at)
    values (p_key, p_value, p_changed_by, p_now)
    on conflict on constraint platform_config__pkey do update
       set value = excluded.value, changed_by = excluded.changed_by, changed_at = excluded.changed_at;
  end if;
  return before;
end
$$;
alter function set_config_default(text, jsonb, text, timestamptz) owner to lango_lookup;
revoke execute on function set_config_default(text, jsonb, text, timestamptz) from public;
grant execute on function set_config_default(text, jsonb, text, timestamptz) to lango_app;

create table rate_limit_config (
  scope text constraint rate_limit_config__pkey primary key
    constraint rate_limit_config__scope_check check (scope in ('address', 'caller')),
  requests integer not null constraint rate_limit_config__requests_check check (requests > 0),
  window_seconds integer not null constraint rate_limit_config__window_check check (window_seconds between 1 and 86400)
);
comment on table rate_limit_config is 'How many requests are answered in a window (spec §2.4, §5.7); a change counts at once, within half a minute in a process that gets no notification.';
comment on column rate_limit_config.scope is 'address: by where a request comes from; caller: by person, client or key.';
grant select on rate_limit_config to lango_app;
insert into rate_limit_config (scope, requests, window_seconds) values ('address', 6000, 60), ('caller', 3000, 60);

-- Notifies every process, at the commit, that the limits have changed.
create function notify_limits_changed()
returns trigger
language plpgsql
set search_path = public, pg_temp
as $$
begin
  perform pg_notify('domain_changed', 'limits');
  return null;
end
$$;
create trigger rate_limit_config__changed after insert or update or delete on rate_limit_config
  for each statement execute function notify_limits_changed();
