-- breaking: no
-- Of a person who is erased, the record of who changed what keeps the id alone.

create index audit_log__person on audit_log (actor_id) where actor_kind = 'user' and address is not null;
create policy audit_log__told on audit_log to lango_lookup using (true);
grant select, update (address) on audit_log to lango_lookup;

-- Removes from where a person made changes, in all tenants and of the platform; who changed what stays. Runs as the look-up role: the
-- event names no tenant.
create function erase_user(p_subject uuid)
returns void
language sql security definer
set search_path = public, pg_temp
as $$
  update audit_log set address = null where actor_kind = 'user' and actor_id = p_subject::text and address is not null
$$;
alter function erase_user(uuid) owner to lango_lookup;
revoke execute on function erase_user(uuid) from public;
grant execute on function erase_user(uuid) to lango_app;
