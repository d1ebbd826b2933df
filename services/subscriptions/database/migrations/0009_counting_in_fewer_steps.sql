-- breaking: no
-- Usage is counted in fewer steps, and by the indexes whatever the tables held when a connection planned: a plan made while a
-- table was empty reads all of it, and goes on doing so until the table's statistics change.

-- Adds to a counter; what comes on top of the limit is overage. Nothing is added, and nothing returned, where the counter
-- would pass p_ceiling (-1: there is none). The row stays locked until the transaction ends: who comes later waits, and sees it.
create or replace function count_usage(
  p_tenant uuid, p_metric text, p_window text, p_starts timestamptz, p_delta bigint, p_limit bigint, p_warn_for text, p_ceiling bigint)
returns table (used bigint, overage bigint, added_overage bigint, is_due boolean)
language plpgsql volatile set search_path = public, pg_temp set enable_seqscan = off
as $$
#variable_conflict use_column
begin
  for attempt in 1..2 loop
    return query
      update usage_counters c
         set used = c.used + p_delta,
             overage = case when p_delta < 0 then greatest(0, c.overage + p_delta)
                            when p_limit >= 0 then c.overage + greatest(0, c.used + p_delta - greatest(p_limit, c.used))
                            else c.overage end,
             limit_value = p_limit,
             warned_for = p_warn_for,
             warned_percent = case when c.warned_for = p_warn_for then c.warned_percent else 0 end,
             due_percent = greatest(
               case when c.warned_for = p_warn_for then c.due_percent else 0 end,
               case when p_limit is null or p_limit <= 0 then 0 when c.used + p_delta >= p_limit then 100
                    when (c.used + p_delta) * 5 >= p_limit * 4 then 80 else 0 end)
       where c.tenant_id = p_tenant and c.metric = p_metric and c.window_key = p_window
         and (p_ceiling < 0 or c.used + p_delta <= p_ceiling)
      returning new.used, new.overage, new.overage - old.overage, new.due_percent > new.warned_percent;
    exit when found or attempt = 2;
    insert into usage_counters (tenant_id, metric, window_key, starts_at, warned_for)
    values (p_tenant, p_metric, p_window, p_starts, p_warn_for)
    on conflict do nothing;
  end loop;
end $$;

-- Consumes so much of a metric under an id, once, and never past p_ceiling: the limit, or what is sold beyond it where
-- overage has a price. Outcomes: consumed, repeated (that id did it before), released (it was given back), differs (that
-- id consumed something else), limit_reached, stale (the subscription is no more at p_version).
create or replace function consume_usage(
  p_tenant uuid, p_version integer, p_id text, p_metric text, p_limit text, p_value bigint, p_limit_value bigint, p_ceiling bigint,
  p_window text, p_starts timestamptz, p_warn_for text, p_period timestamptz, p_price bigint, p_currency text, p_now timestamptz)
returns table (outcome text, used bigint, overage bigint, is_due boolean)
language plpgsql volatile set search_path = public, pg_temp set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  v_tenant text := set_config('app.tenant_id', p_tenant::text, true);
  v_known record;
  v_counted record;
begin
  select s.version, c.used, c.overage into v_known
    from subscriptions s
    left join usage_counters c on c.tenant_id = s.tenant_id and c.metric = p_metric and c.window_key = p_window
   where s.tenant_id = p_tenant;
  if v_known.version is distinct from p_version then
    return query select 'stale', 0::bigint, 0::bigint, false;
    return;
  end if;
  if p_ceiling >= 0 and coalesce(v_known.used, 0) + p_value > p_ceiling then
    -- Who is refused writes nothing, and waits for nobody.
    return query select f.outcome, f.used, f.overage, false from find_consumption(p_tenant, p_id, p_metric, p_limit, p_value) f;
    if not found then
      return query select 'limit_reached', coalesce(v_known.used, 0), coalesce(v_known.overage, 0), false;
    end if;
    return;
  end if;
  -- Whoever uses this id at the same moment waits here, and is its repetition. The counter is locked last, and for the shortest time.
  insert into usage_consumptions (tenant_id, id, metric, limit_code, value, window_key, period_starts_at, consumed_at)
  values (p_tenant, p_id, p_metric, p_limit, p_value, p_window, p_period, p_now)
  on conflict do nothing;
  if not found then
    return query select f.outcome, f.used, f.overage, false from find_consumption(p_tenant, p_id, p_metric, p_limit, p_value) f;
    return;
  end if;
  select c.* into v_counted
    from count_usage(p_tenant, p_metric, p_window, p_starts, p_value, p_limit_value, p_warn_for, p_ceiling) c;
  if not found then
    delete from usage_consumptions n where n.tenant_id = p_tenant and n.id = p_id;
    return query select 'limit_reached', c.used, c.overage, false from usage_counters c
                  where c.tenant_id = p_tenant and c.metric = p_metric and c.window_key = p_window;
    return;
  end if;
  if p_price is not null and v_counted.added_overage > 0 then
    perform bill_overage(p_tenant, p_metric, p_period, v_counted.added_overage, p_price, p_currency);
  end if;
  return query select 'consumed', v_counted.used, v_counted.overage, v_counted.is_due;
end $$;

alter function find_consumption(uuid, text, text, text, bigint) set enable_seqscan = off;
alter function bill_overage(uuid, text, timestamptz, bigint, bigint, text) set enable_seqscan = off;
alter function report_usage(uuid, integer, jsonb, timestamptz) set enable_seqscan = off;
alter function release_usage(uuid, text, timestamptz) set enable_seqscan = off;
alter function report_overage(
  uuid, integer, text, text, bigint, bigint, text, timestamptz, text, timestamptz, bigint, text, bigint, timestamptz, timestamptz)
  set enable_seqscan = off;
alter function find_subscription(uuid) set enable_seqscan = off;
