-- breaking: no
grant delete on contact_points to lango_lookup;
create policy contact_points__lookup_delete on contact_points for delete to lango_lookup using (true);

-- Takes a device from every other person, in every tenant: it belongs to the last person who registered it. Until the end of the
-- transaction no other one registers it.
create function take_device(p_user uuid, p_keys bytea[])
returns void
language plpgsql security definer
set search_path = public, pg_temp
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('device ' || encode(p_keys[1], 'hex'), 0));
  delete from contact_points c where c.channel = 'push' and c.address_key = any (p_keys) and c.user_id <> p_user;
end
$$;
alter function take_device(uuid, bytea[]) owner to lango_lookup;
revoke execute on function take_device(uuid, bytea[]) from public;
grant execute on function take_device(uuid, bytea[]) to lango_app;
