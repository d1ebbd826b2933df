-- breaking: no
-- Removes data, addresses and rows after their retention.

alter table messages add column purged_at timestamptz;
comment on column messages.purged_at is 'When its data and the addresses of its deliveries were purged.';

grant select (tenant_id, id, purged_at) on messages to lango_lookup;
grant select, delete on idempotency_keys to lango_lookup;
create policy messages__lookup on messages for select to lango_lookup using (true);
create policy idempotency_keys__lookup on idempotency_keys to lango_lookup using (true);

-- The tenants with messages that were created before the time of these ids, and still have data or exist at all.
create function tenants_to_purge(p_data_before uuid, p_rows_before uuid, p_after uuid, p_max integer)
returns table (tenant_id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select t.id from tenants t
   where (p_after is null or t.id > p_after)
     and (exists (select from messages m where m.tenant_id = t.id and m.purged_at is null and m.id < p_data_before)
          or exists (select from messages m where m.tenant_id = t.id and m.id < p_rows_before))
   order by t.id limit p_max
$$;
alter function tenants_to_purge(uuid, uuid, uuid, integer) owner to lango_lookup;
revoke execute on function tenants_to_purge(uuid, uuid, uuid, integer) from public;
grant execute on function tenants_to_purge(uuid, uuid, uuid, integer) to lango_app;

-- Removes rows of every tenant that have expired, at most p_max of each table. Returns the largest number of one table. Keys of
-- requests stay an hour longer, so that no request that runs now loses the key that it has found.
create function purge_expired(p_now timestamptz, p_max integer)
returns integer
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  v_keys integer;
  v_reports integer;
  v_minutes integer;
  v_suppressions integer;
begin
  delete from idempotency_keys where expires_at < p_now - interval '1 hour' and ctid = any (array(
    select k.ctid from idempotency_keys k where k.expires_at < p_now - interval '1 hour' limit p_max));
  get diagnostics v_keys = row_count;
  delete from provider_reports where ctid = any (array(
    select r.ctid from provider_reports r where r.received_at < p_now - interval '7 days' limit p_max));
  get diagnostics v_reports = row_count;
  delete from provider_minutes where ctid = any (array(
    select m.ctid from provider_minutes m where m.minute < p_now - interval '1 day' limit p_max));
  get diagnostics v_minutes = row_count;
  delete from suppressions where expires_at < p_now and ctid = any (array(
    select s.ctid from suppressions s where s.expires_at < p_now limit p_max));
  get diagnostics v_suppressions = row_count;
  return greatest(v_keys, v_reports, v_minutes, v_suppressions);
end
$$;
alter function purge_expired(timestamptz, integer) owner to lango_lookup;
revoke execute on function purge_expired(timestamptz, integer) from public;
grant execute on function purge_expired(timestamptz, integer) to lango_app;

-- A message with a secret loses its data when nothing of it is left to send.
create function drop_secret()
returns trigger
language plpgsql
set search_path = public, pg_temp
as $$
begin
  new.data := null;
  new.data_key_id := null;
  return new;
end
$$;
create trigger messages__secret before insert or update of pending on messages
  for each row when (new.has_secret and new.pending = 0) execute function drop_secret();
