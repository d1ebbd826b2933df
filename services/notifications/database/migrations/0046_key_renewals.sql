-- breaking: no

-- Sealed values are encrypted again under the newest key-encryption key, so that an older one can be removed.
create table key_renewals (
  key_id text not null constraint key_renewals__pkey primary key,
  first_seen_at timestamptz not null,
  after_tenant uuid,
  found_so_far jsonb not null default '{}',
  found jsonb,
  passed_at timestamptz,
  finished_at timestamptz
);
comment on table key_renewals is 'By newest key-encryption key: how far sealed values under older keys are encrypted again, pass by pass over all tenants.';
comment on column key_renewals.after_tenant is 'Up to this tenant the current pass is done; null: it has not begun.';
comment on column key_renewals.found is 'Rows under an older key that the last complete pass found, by table. Null before the first one.';
comment on column key_renewals.finished_at is 'When the last pass found nothing. It does not count once another key was first seen later.';
grant select, insert, update on key_renewals to lango_app;
grant select on key_renewals to lango_platform;

-- Providers of the platform and of every tenant whose credentials are under an older key.
create function list_older_credentials(p_newest text, p_after uuid, p_max integer)
returns table (id uuid, key_id text, sealed bytea)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select p.id, p.credentials_key_id, p.credentials from providers p
   where p.credentials_key_id <> p_newest and p.id > p_after
   order by p.id limit p_max
$$;
alter function list_older_credentials(text, uuid, integer) owner to lango_lookup;
revoke execute on function list_older_credentials(text, uuid, integer) from public;
grant execute on function list_older_credentials(text, uuid, integer) to lango_app;

-- Replaces credentials that were encrypted again, unless they were changed meanwhile.
create function replace_credentials(p_items jsonb)
returns void
language sql security definer
set search_path = public, pg_temp
as $$
  update providers p set credentials_key_id = i.key_id, credentials = decode(i.sealed, 'hex')
    from jsonb_to_recordset(p_items) as i (id uuid, was text, key_id text, sealed text)
   where p.id = i.id and p.credentials = decode(i.was, 'hex')
$$;
alter function replace_credentials(jsonb) owner to lango_lookup;
revoke execute on function replace_credentials(jsonb) from public;
grant execute on function replace_credentials(jsonb) to lango_app;
