-- breaking: no
-- What tenants use: counters, reports that were counted, consumptions, overage.

create table usage_counters (
  tenant_id uuid not null,
  metric text not null,
  window_key text not null,
  starts_at timestamptz not null,
  used bigint not null default 0,
  overage bigint not null default 0,
  limit_value bigint,
  warned_for text not null,
  warned_percent smallint not null default 0,
  due_percent smallint not null default 0,
  constraint usage_counters__pkey primary key (tenant_id, metric, window_key),
  constraint usage_counters__overage_not_negative check (overage >= 0)
) with (fillfactor = 50);
comment on table usage_counters is 'How much of a metric a tenant has used in one window';
comment on column usage_counters.window_key is
  'day:2026-03-01 (a date of the tenant''s calendar), period:<start of the subscription period>, or standing';
comment on column usage_counters.overage is 'How much of it was above the limit that held at the time';
comment on column usage_counters.limit_value is 'The limit that held when it last changed; -1: unlimited, null: none bounds it';
comment on column usage_counters.warned_for is 'The window or period the warnings below are of';
comment on column usage_counters.due_percent is 'The warning that is due; told of once warned_percent has reached it';
create index usage_counters__due_index on usage_counters (tenant_id) where due_percent > warned_percent;
create index usage_counters__starts_at_index on usage_counters (starts_at) where window_key <> 'standing';

create table usage_reports (
  tenant_id uuid not null,
  id text not null,
  metric text not null,
  value bigint not null,
  reported_at timestamptz not null,
  received_at timestamptz not null,
  metadata jsonb,
  constraint usage_reports__pkey primary key (tenant_id, id)
);
comment on table usage_reports is 'Reports of usage and overage that were counted, kept so that none is counted twice';
create index usage_reports__received_at_index on usage_reports (received_at);

create table usage_consumptions (
  tenant_id uuid not null,
  id text not null,
  metric text not null,
  limit_code text not null,
  value bigint not null,
  window_key text not null,
  period_starts_at timestamptz not null,
  consumed_at timestamptz not null,
  released_at timestamptz,
  constraint usage_consumptions__pkey primary key (tenant_id, id),
  constraint usage_consumptions__value_not_negative check (value >= 0)
);
comment on table usage_consumptions is 'What was consumed under an id, so that it is consumed once and can be given back';
comment on column usage_consumptions.value is '0 with released_at: given back before it was consumed';
create index usage_consumptions__consumed_at_index on usage_consumptions (consumed_at) where window_key <> 'standing';
create index usage_consumptions__released_at_index on usage_consumptions (released_at) where released_at is not null;

create table overage_lines (
  tenant_id uuid not null,
  metric text not null,
  period_starts_at timestamptz not null,
  unit_price_minor bigint not null,
  currency text not null,
  units bigint not null default 0,
  taken_units bigint not null default 0,
  constraint overage_lines__pkey primary key (tenant_id, metric, period_starts_at, unit_price_minor, currency),
  constraint overage_lines__price_positive check (unit_price_minor > 0),
  constraint overage_lines__units_not_negative check (units >= 0 and taken_units >= 0)
);
comment on table overage_lines is 'Overage that has a price, by subscription period; billed when the period ends';
comment on column overage_lines.period_starts_at is 'When the subscription period began in which it was used';
comment on column overage_lines.units is 'As many as are billed: what a window has above the cap of the plan is not among them';
comment on column overage_lines.taken_units is 'How many of them were billed';

-- Adds to a counter; what comes on top of the limit is overage. Nothing is added, and nothing returned, where the counter
-- would pass p_ceiling (-1: there is none). The row stays locked until the transaction ends: who comes later waits, and sees it.
create function count_usage(
  p_tenant uuid, p_metric text, p_window text, p_starts timestamptz, p_delta bigint, p_limit bigint, p_warn_for text, p_ceiling bigint)
returns table (used bigint, overage bigint, added_overage bigint, is_due boolean)
language plpgsql volatile set search_path = public, pg_temp
as $$
#variable_conflict use_column
declare
  v_old usage_counters;
  v_new usage_counters;
  v_due smallint;
begin
  for attempt in 1..2 loop
    select c.* into v_old from usage_counters c
     where c.tenant_id = p_tenant and c.metric = p_metric and c.window_key = p_window
       for update;
    exit when found;
    insert into usage_counters (tenant_id, metric, window_key, starts_at, warned_for)
    values (p_tenant, p_metric, p_window, p_starts, p_warn_for)
    on conflict do nothing;
  end loop;
  if p_ceiling >= 0 and v_old.used + p_delta > p_ceiling then
    return;
  end if;
  v_new := v_old;
  v_new.used := v_old.used + p_delta;
  if p_delta < 0 then
    v_new.overage := greatest(0, v_old.overage + p_delta);
  elsif p_limit >= 0 then
    v_new.overage := v_old.overage + greatest(0, v_new.used - greatest(p_limit, v_old.used));
  end if;
  if v_old.warned_for <> p_warn_for then
    v_new.warned_percent := 0;
    v_new.due_percent := 0;
  end if;
  v_due := case when p_limit is null or p_limit <= 0 then 0 when v_new.used >= p_limit then 100
                when v_new.used * 5 >= p_limit * 4 then 80 else 0 end;
  v_new.due_percent := greatest(v_new.due_percent, v_due);
  update usage_counters c
     set used = v_new.used, overage = v_new.overage, limit_value = p_limit, warned_for = p_warn_for,
         warned_percent = v_new.warned_percent, due_percent = v_new.due_percent
   where c.tenant_id = p_tenant and c.metric = p_metric and c.window_key = p_window;
  return query select v_new.used, v_new.overage, v_new.overage - v_old.overage, v_new.due_percent > v_new.warned_percent;
end $$;

-- Adds units to what a period's overage will be billed, or takes them away.
create function bill_overage(p_tenant uuid, p_metric text, p_period timestamptz, p_units bigint, p_price bigint, p_currency text)
returns void
language sql volatile set search_path = public, pg_temp
as $$
  insert into overage_lines as l (tenant_id, metric, period_starts_at, unit_price_minor, currency, units)
  values (p_tenant, p_metric, p_period, p_price, p_currency, greatest(0, p_units))
  on conflict (tenant_id, metric, period_starts_at, unit_price_minor, currency) do update set units = greatest(0, l.units + p_units);
$$;

-- Counts reports once each. p_events: id, metric, value, at, metadata, and by what they are counted (window, starts_at,
-- limit, warn_for, period, price, currency, cap). "stale": the subscription is no more at p_version; nothing was counted.
create function report_usage(p_tenant uuid, p_version integer, p_events jsonb, p_now timestamptz) returns jsonb
language plpgsql volatile set search_path = public, pg_temp
as $$
declare
  v_group record;
  v_counted record;
  v_accepted integer := 0;
  v_billed bigint;
  v_due jsonb := '[]';
begin
  perform set_config('app.tenant_id', p_tenant::text, true);
  perform from subscriptions s where s.tenant_id = p_tenant and s.version = p_version;
  if not found then
    return jsonb_build_object('outcome', 'stale');
  end if;
  for v_group in
    with given as (
      select distinct on (e.id) e.*
        from rows from (jsonb_to_recordset(p_events) as (id text, metric text, value bigint, at timestamptz, metadata jsonb, window_key text,
               starts_at timestamptz, limit_value bigint, warn_for text, period timestamptz, price bigint, currency text, cap bigint))
             with ordinality as e (id, metric, value, at, metadata, window_key, starts_at, limit_value, warn_for, period, price, currency,
               cap, position)
       order by e.id, e.position
    ), fresh as (
      insert into usage_reports as r (tenant_id, id, metric, value, reported_at, received_at, metadata)
      select p_tenant, g.id, g.metric, g.value, g.at, p_now, g.metadata from given g order by g.id
      on conflict (tenant_id, id) do nothing
      returning r.id
    )
    select g.metric, g.window_key, min(g.starts_at) as starts_at, sum(g.value)::bigint as delta, count(*)::integer as events,
           min(g.limit_value) as limit_value, min(g.warn_for) as warn_for, min(g.period) as period, min(g.price) as price,
           min(g.currency) as currency, min(g.cap) as cap
      from given g join fresh f on f.id = g.id
     group by g.metric, g.window_key
     order by g.metric, g.window_key
  loop
    v_accepted := v_accepted + v_group.events;
    select c.* into v_counted
      from count_usage(p_tenant, v_group.metric, v_group.window_key, v_group.starts_at, v_group.delta, v_group.limit_value,
             v_group.warn_for, -1) c;
    v_billed := least(v_counted.overage, v_group.cap) - least(v_counted.overage - v_counted.added_overage, v_group.cap);
    if v_group.price is not null and v_billed <> 0 then
      perform bill_overage(p_tenant, v_group.metric, v_group.period, v_billed, v_group.price, v_group.currency);
    end if;
    if v_counted.is_due then
      v_due := v_due || jsonb_build_object('metric', v_group.metric, 'window_key', v_group.window_key);
    end if;
  end loop;
  return jsonb_build_object('outcome', 'counted', 'accepted', v_accepted, 'due', v_due);
end $$;

-- Consumes so much of a metric under an id, once, and never past p_ceiling: the limit, or what is sold beyond it where
-- overage has a price. Outcomes: consumed, repeated (that id did it before), released (it was given back), differs (that
-- id consumed something else), limit_reached, stale (the subscription is no more at p_version).
create function consume_usage(
  p_tenant uuid, p_version integer, p_id text, p_metric text, p_limit text, p_value bigint, p_limit_value bigint, p_ceiling bigint,
  p_window text, p_starts timestamptz, p_warn_for text, p_period timestamptz, p_price bigint, p_currency text, p_now timestamptz)
returns table (outcome text, used bigint, overage bigint, is_due boolean)
language plpgsql volatile set search_path = public, pg_temp
as $$
#variable_conflict use_column
declare
  v_counted record;
begin
  perform set_config('app.tenant_id', p_tenant::text, true);
  perform from subscriptions s where s.tenant_id = p_tenant and s.version = p_version;
  if not found then
    return query select 'stale', 0::bigint, 0::bigint, false;
    return;
  end if;
  return query select f.outcome, f.used, f.overage, false from find_consumption(p_tenant, p_id, p_metric, p_limit, p_value) f;
  if found then
    return;
  end if;
  select c.* into v_counted
    from count_usage(p_tenant, p_metric, p_window, p_starts, p_value, p_limit_value, p_warn_for, p_ceiling) c;
  if not found then
    -- Whoever used this id at the same moment may have had the last of it: then this is its repetition.
    return query select f.outcome, f.used, f.overage, false from find_consumption(p_tenant, p_id, p_metric, p_limit, p_value) f;
    if not found then
      return query select 'limit_reached', c.used, c.overage, false from usage_counters c
                    where c.tenant_id = p_tenant and c.metric = p_metric and c.window_key = p_window;
    end if;
    return;
  end if;
  insert into usage_consumptions (tenant_id, id, metric, limit_code, value, window_key, period_starts_at, consumed_at)
  values (p_tenant, p_id, p_metric, p_limit, p_value, p_window, p_period, p_now)
  on conflict do nothing;
  if not found then
    perform count_usage(p_tenant, p_metric, p_window, p_starts, -p_value, p_limit_value, p_warn_for, -1);
    return query select f.outcome, f.used, f.overage, false from find_consumption(p_tenant, p_id, p_metric, p_limit, p_value) f;
    return;
  end if;
  if p_price is not null and v_counted.added_overage > 0 then
    perform bill_overage(p_tenant, p_metric, p_period, v_counted.added_overage, p_price, p_currency);
  end if;
  return query select 'consumed', v_counted.used, v_counted.overage, v_counted.is_due;
end $$;

-- What an id has consumed, as an outcome for who comes with it again; nothing when it is new.
create function find_consumption(p_tenant uuid, p_id text, p_metric text, p_limit text, p_value bigint)
returns table (outcome text, used bigint, overage bigint)
language sql volatile set search_path = public, pg_temp
as $$
  select case when n.value > 0 and (n.metric, n.limit_code, n.value) is distinct from (p_metric, p_limit, p_value) then 'differs'
              when n.released_at is not null then 'released'
              else 'repeated' end,
         coalesce(c.used, 0), coalesce(c.overage, 0)
    from usage_consumptions n
    left join usage_counters c on c.tenant_id = n.tenant_id and c.metric = n.metric and c.window_key = n.window_key
   where n.tenant_id = p_tenant and n.id = p_id;
$$;

-- Gives back what an id has consumed; an id that has not consumed yet never will. True when something was given back.
create function release_usage(p_tenant uuid, p_id text, p_now timestamptz) returns boolean
language plpgsql volatile set search_path = public, pg_temp
as $$
declare
  v_given usage_consumptions;
  v_counter usage_counters;
  v_counted record;
begin
  perform set_config('app.tenant_id', p_tenant::text, true);
  insert into usage_consumptions (tenant_id, id, metric, limit_code, value, window_key, period_starts_at, consumed_at, released_at)
  values (p_tenant, p_id, '', '', 0, '', p_now, p_now, p_now)
  on conflict do nothing;
  if found then
    return false;
  end if;
  update usage_consumptions n set released_at = p_now
   where n.tenant_id = p_tenant and n.id = p_id and n.released_at is null
  returning n.* into v_given;
  if not found then
    return false;
  end if;
  select c.* into v_counter from usage_counters c
   where c.tenant_id = p_tenant and c.metric = v_given.metric and c.window_key = v_given.window_key;
  if not found then
    return true;
  end if;
  select c.* into v_counted
    from count_usage(p_tenant, v_given.metric, v_given.window_key, v_counter.starts_at, -v_given.value, v_counter.limit_value,
           v_counter.warned_for, -1) c;
  update overage_lines l set units = greatest(0, l.units + v_counted.added_overage)
   where v_counted.added_overage < 0 and l.tenant_id = p_tenant and l.metric = v_given.metric
     and l.period_starts_at = v_given.period_starts_at
     and (l.unit_price_minor, l.currency) = (
       select o.unit_price_minor, o.currency from overage_lines o
        where o.tenant_id = p_tenant and o.metric = v_given.metric and o.period_starts_at = v_given.period_starts_at and o.units > 0
        order by o.unit_price_minor desc, o.currency limit 1);
  return true;
end $$;

-- Records overage that a service has counted itself, once an id; beyond p_cap units of the window nothing is billed.
-- "stale" as in report_usage; "repeated": it was recorded before.
create function report_overage(
  p_tenant uuid, p_version integer, p_id text, p_metric text, p_units bigint, p_limit_value bigint, p_window text, p_starts timestamptz,
  p_warn_for text, p_period timestamptz, p_price bigint, p_currency text, p_cap bigint, p_at timestamptz, p_now timestamptz)
returns text
language plpgsql volatile set search_path = public, pg_temp
as $$
declare
  v_overage bigint;
begin
  perform set_config('app.tenant_id', p_tenant::text, true);
  perform from subscriptions s where s.tenant_id = p_tenant and s.version = p_version;
  if not found then
    return 'stale';
  end if;
  insert into usage_reports (tenant_id, id, metric, value, reported_at, received_at)
  values (p_tenant, p_id, p_metric, p_units, p_at, p_now)
  on conflict do nothing;
  if not found then
    return 'repeated';
  end if;
  perform count_usage(p_tenant, p_metric, p_window, p_starts, 0, p_limit_value, p_warn_for, -1);
  update usage_counters c set overage = c.overage + p_units
   where c.tenant_id = p_tenant and c.metric = p_metric and c.window_key = p_window
  returning c.overage into v_overage;
  if p_price is not null and least(v_overage, p_cap) > least(v_overage - p_units, p_cap) then
    perform bill_overage(p_tenant, p_metric, p_period, least(v_overage, p_cap) - least(v_overage - p_units, p_cap), p_price, p_currency);
  end if;
  return 'recorded';
end $$;

do $$
declare
  name text;
begin
  foreach name in array array['usage_counters', 'usage_reports', 'usage_consumptions', 'overage_lines'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format(
      'create policy %I on %I using (tenant_id = nullif(current_setting(''app.tenant_id'', true), '''')::uuid)', name || '__tenant', name);
    execute format('create policy %I on %I for select to lango_platform using (true)', name || '__platform', name);
    execute format('grant select on %I to lango_platform', name);
    execute format('grant select, insert, update, delete on %I to lango_app', name);
  end loop;
end $$;
