-- breaking: no

-- Tells every process, at the commit, that the limits are others.
create function tell_limits_changed()
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
  for each statement execute function tell_limits_changed();
comment on table rate_limit_config is 'How many requests are answered in a window (spec §2.4, §5.7); a change counts at once, within half a minute where it is not heard of.';
