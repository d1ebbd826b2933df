-- breaking: no
-- Late reports by the terms of their time; bundles whose
-- tenants are to be told; what a suspension puts off; warnings anew under a greater limit.

-- First, so that nothing else is held while it is waited for.
alter table usage_counters add column warned_limit bigint;
comment on column usage_counters.warned_limit is 'The greatest limit it was counted by for this warned_for: under a greater one warnings begin anew. As large as can be: unlimited';

-- What is reported late goes by the limits and prices of its time, so those of before are kept for as long as a report may be late.

create table past_terms (
  tenant_id uuid not null,
  ended_at timestamptz not null,
  limits jsonb not null,
  overage jsonb not null,
  currency text not null,
  constraint past_terms__pkey primary key (tenant_id, ended_at),
  constraint past_terms__subscription_fkey foreign key (tenant_id) references subscriptions (tenant_id) on delete cascade
);
comment on table past_terms is 'Limits and prices of overage a tenant had before: what is reported late goes by those of its time. Kept for 8 days';
comment on column past_terms.ended_at is 'From then on others held';
create index past_terms__ended_at on past_terms (ended_at);
alter table past_terms enable row level security;
alter table past_terms force row level security;
create policy past_terms__tenant on past_terms using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy past_terms__platform on past_terms for select to lango_platform using (true);
grant select, insert, delete on past_terms to lango_app;
grant select on past_terms to lango_platform;

-- As before, but what is counted by different terms, or billed with different periods, is counted apart.
create or replace function report_usage(p_tenant uuid, p_version integer, p_events jsonb, p_now timestamptz) returns jsonb
language plpgsql volatile set search_path = public, pg_temp set enable_seqscan = off
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
           g.limit_value, min(g.warn_for) as warn_for, g.period, g.price, g.currency, g.cap
      from given g join fresh f on f.id = g.id
     group by g.metric, g.window_key, g.period, g.limit_value, g.price, g.currency, g.cap
     order by g.metric, g.window_key, g.period, g.limit_value, g.price, g.currency, g.cap
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


-- Who has a bundle is told when it holds something else: some at a time, by a job.

create table bundle_tellings (
  bundle_code text not null,
  change integer not null default 1,
  told_until uuid not null default '00000000-0000-0000-0000-000000000000',
  constraint bundle_tellings__pkey primary key (bundle_code),
  constraint bundle_tellings__bundle_fkey foreign key (bundle_code) references bundles (code)
);
comment on table bundle_tellings is 'Bundles that hold something else since, until every tenant on them is told';
comment on column bundle_tellings.change is 'One more each time it changes while it is told of, which begins anew then';
comment on column bundle_tellings.told_until is 'Tenants are told in the order of their ids; this one was the last';
grant select, insert, update, delete on bundle_tellings to lango_app;

-- Warnings begin anew under a greater limit, once: not where it was lowered and is what it was again.

create or replace function count_usage(
  p_tenant uuid, p_metric text, p_window text, p_starts timestamptz, p_delta bigint, p_limit bigint, p_warn_for text, p_ceiling bigint)
returns table (used bigint, overage bigint, added_overage bigint, is_due boolean)
language plpgsql volatile set search_path = public, pg_temp set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  v_limit bigint := case when p_limit < 0 then 9223372036854775807 else p_limit end;
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
             warned_limit = case when c.warned_for = p_warn_for then greatest(c.warned_limit, v_limit) else v_limit end,
             warned_percent = case when c.warned_for = p_warn_for and (v_limit > coalesce(c.warned_limit, c.limit_value)) is not true
                                   then c.warned_percent else 0 end,
             due_percent = greatest(
               case when c.warned_for = p_warn_for and (v_limit > coalesce(c.warned_limit, c.limit_value)) is not true
                    then c.due_percent else 0 end,
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

-- Whether a tenant is suspended.

create table tenant_standings (
  tenant_id uuid not null,
  is_suspended boolean not null,
  version integer not null,
  constraint tenant_standings__pkey primary key (tenant_id)
);
comment on table tenant_standings is 'Whether a tenant is suspended, as the sign-on service last told of it: nothing is asked for or warned of meanwhile';
comment on column tenant_standings.version is 'Of the tenant at the sign-on service; a lower one is ignored';
alter table tenant_standings enable row level security;
alter table tenant_standings force row level security;
create policy tenant_standings__tenant on tenant_standings using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy tenant_standings__platform on tenant_standings for select to lango_platform using (true);
grant select, insert, update, delete on tenant_standings to lango_app;
grant select on tenant_standings to lango_platform;
