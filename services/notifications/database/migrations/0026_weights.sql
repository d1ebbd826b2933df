-- breaking: no
-- Counts of calls to providers, and the weights that follow from them.

-- Adds counts of calls by provider and minute.
create function count_provider_calls(p_counts jsonb)
returns void
language sql security definer
set search_path = public, pg_temp
as $$
  insert into provider_minutes as m (provider_id, tenant_id, minute, sent, errors, slow)
  select p.id, p.tenant_id, c.minute, c.sent, c.errors, c.slow
    from jsonb_to_recordset(p_counts) as c (provider_id uuid, minute timestamptz, sent integer, errors integer, slow integer)
    join providers p on p.id = c.provider_id
   order by p.id, c.minute
  on conflict on constraint provider_minutes__pkey do update
     set sent = m.sent + excluded.sent, errors = m.errors + excluded.errors, slow = m.slow + excluded.slow
$$;
alter function count_provider_calls(jsonb) owner to lango_lookup;
revoke execute on function count_provider_calls(jsonb) from public;
grant execute on function count_provider_calls(jsonb) to lango_app;

-- The health of enabled providers on the channels of owners where one was used within 15 minutes or is not at rest: errors of the
-- last full minute, and messages of 15 minutes.
create function list_provider_health(p_now timestamptz)
returns table (id uuid, tenant_id uuid, channel text, kind text, name text, weight integer, resting_weight integer,
  weighed_at timestamptz, is_degraded boolean, errors integer, sent integer, slow integer)
language sql stable security definer
set search_path = public, pg_temp
as $$
  with health as (
    select p.*, h.recent, h.sent, h.slow, h.errors
      from providers p
      left join lateral (
        select count(*) as recent, sum(m.sent) as sent, sum(m.slow) as slow,
               sum(m.errors) filter (where m.minute = date_trunc('minute', p_now) - interval '1 minute') as errors
          from provider_minutes m where m.provider_id = p.id and m.minute >= p_now - interval '15 minutes'
      ) h on true
     where p.enabled
  )
  select h.id, h.tenant_id, h.channel, h.kind, h.name, h.weight, h.resting_weight, h.weighed_at, h.degraded_at is not null,
         coalesce(h.errors, 0)::integer, coalesce(h.sent, 0)::integer, coalesce(h.slow, 0)::integer
    from health h
   where exists (select from health o where o.tenant_id is not distinct from h.tenant_id and o.channel = h.channel
                  and (o.recent > 0 or o.weight <> o.resting_weight))
   order by h.tenant_id, h.channel, h.id
$$;
alter function list_provider_health(timestamptz) owner to lango_lookup;
revoke execute on function list_provider_health(timestamptz) from public;
grant execute on function list_provider_health(timestamptz) to lango_app;

-- Stores new weights.
create function store_provider_weights(p_weights jsonb, p_now timestamptz)
returns void
language plpgsql security definer
set search_path = public, pg_temp
as $$
begin
  update providers p
     set weight = w.weight, weighed_at = p_now,
         degraded_at = case when w.is_degraded then coalesce(p.degraded_at, p_now) end
    from jsonb_to_recordset(p_weights) as w (id uuid, weight integer, is_degraded boolean)
   where p.id = w.id;
  perform pg_notify('notifications_changed', 'providers');
end
$$;
alter function store_provider_weights(jsonb, timestamptz) owner to lango_lookup;
revoke execute on function store_provider_weights(jsonb, timestamptz) from public;
grant execute on function store_provider_weights(jsonb, timestamptz) to lango_app;
