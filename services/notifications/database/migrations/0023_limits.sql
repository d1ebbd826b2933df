-- breaking: no
alter table limits add column ceiling_per_minute integer, add column ceiling_burst integer;
comment on column limits.ceiling_per_minute is 'Of a tenant, set by the platform owner: the most that the tenant may choose. Null: the platform''s default.';

-- Sets the platform's default of a channel. Tenants that chose more keep no more than the default, unless the platform owner gave them
-- a ceiling. Called for the platform owner.
create function set_platform_limit(p_channel text, p_per_minute integer, p_burst integer, p_by text, p_now timestamptz)
returns void
language sql security definer
set search_path = public, pg_temp
as $$
  update limits l set per_minute = p_per_minute, burst = p_burst, set_by = p_by, set_at = p_now
   where l.channel = p_channel and l.tenant_id is null;
  update limits l set per_minute = least(l.per_minute, p_per_minute), burst = least(l.burst, p_burst)
   where l.channel = p_channel and l.tenant_id is not null and l.ceiling_per_minute is null
     and (l.per_minute > p_per_minute or l.burst > p_burst);
$$;
alter function set_platform_limit(text, integer, integer, text, timestamptz) owner to lango_lookup;
revoke execute on function set_platform_limit(text, integer, integer, text, timestamptz) from public;
grant execute on function set_platform_limit(text, integer, integer, text, timestamptz) to lango_app;
