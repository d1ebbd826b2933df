-- breaking: no

-- Binds a session to the outlet its tokens will name; true unless it is none or was revoked.
create function bind_outlet(p_session uuid, p_outlet uuid) returns boolean
language sql volatile security definer set search_path = public, pg_temp
begin atomic
  update sessions set outlet_id = p_outlet where id = p_session and revoked_at is null returning true;
end;
alter function bind_outlet(uuid, uuid) owner to lango_lookup;
revoke all on function bind_outlet(uuid, uuid) from public;
grant execute on function bind_outlet(uuid, uuid) to lango_app;
comment on function choose_outlet(uuid, uuid) is 'Of the release before, which may still be running; goes with the next one.';

-- Spec §2.3: the platform owner's primary tenant is the platform's, where alone the role superuser is given.
create function keep_superuser_home() returns trigger
language plpgsql set search_path = public, pg_temp
as $$
begin
  update users set primary_tenant_id = new.tenant_id where id = new.user_id and primary_tenant_id is distinct from new.tenant_id;
  return null;
end $$;
create trigger memberships__superuser_home after insert or update of roles, status on memberships
  for each row when (new.status = 'active' and 'superuser' = any (new.roles)) execute function keep_superuser_home();

-- Those who have the role already. Only lango_lookup sees the members of all tenants.
set local role lango_lookup;
update users u set primary_tenant_id = m.tenant_id from memberships m
 where m.user_id = u.id and m.status = 'active' and 'superuser' = any (m.roles) and u.primary_tenant_id is distinct from m.tenant_id;
reset role;
