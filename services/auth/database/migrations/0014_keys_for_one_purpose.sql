-- breaking: no

alter table api_keys add column caller text;
alter table api_keys add column permissions text[] not null default '{}';
-- The key that all services shared goes on for the hour in which it is replaced.
update api_keys set permissions = '{tenants.read,links.read}';
comment on column api_keys.source is 'setting: it came from AUTH_API_KEYS.';
comment on column api_keys.caller is 'The service that calls with it; null: a key of an earlier release, which all services shared.';
comment on column api_keys.permissions is 'What it may be used for.';
