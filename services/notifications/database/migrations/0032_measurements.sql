-- breaking: no
-- What operators watch: for how long the oldest due delivery of each class waits in seconds, how many outcomes are unknown, and how
-- many providers of the platform are degraded.
create function measure_deliveries(p_now timestamptz)
returns table (what text, about text, value double precision)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select 'due', l.class, extract(epoch from p_now - min(l.next_due_at))::double precision
    from lanes l where l.next_due_at <= p_now group by l.class
  union all
  select 'unknown', '', count(*)::double precision
    from (select from message_deliveries d where d.status = 'unknown' limit 10000) u
  union all
  select 'degraded', p.channel, count(*)::double precision
    from providers p where p.tenant_id is null and p.enabled and p.degraded_at is not null group by p.channel
$$;
alter function measure_deliveries(timestamptz) owner to lango_lookup;
revoke execute on function measure_deliveries(timestamptz) from public;
grant execute on function measure_deliveries(timestamptz) to lango_app;
