-- breaking: no

-- The outlet of a session that is good for anything now, empty when it has none; null when it is not.
create function live_session_outlet(p_session uuid, p_now timestamptz) returns text
language sql stable security definer set search_path = public, pg_temp
begin atomic
  select coalesce(s.outlet_id::text, '') from sessions s where s.id = p_session and s.revoked_at is null and s.expires_at > p_now;
end;
alter function live_session_outlet(uuid, timestamptz) owner to lango_lookup;
revoke all on function live_session_outlet(uuid, timestamptz) from public;
grant execute on function live_session_outlet(uuid, timestamptz) to lango_app;
comment on function is_session_live(uuid, timestamptz) is 'Of the release before, which may still be running; goes with the next one.';
