-- breaking: no

-- Counting works on PostgreSQL 15 to 17, too.

create or replace function count_usage(
  p_tenant uuid, p_metric text, p_window text, p_starts timestamptz, p_delta bigint, p_limit bigint, p_warn_for text, p_ceiling bigint)
returns table (used bigint, overage bigint, added_overage bigint, is_due boolean)
language plpgsql volatile set search_path = public, pg_temp set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  v_limit bigint := case when p_limit < 0 then 9223372036854775807 else p_limit end;
  v_overage bigint;
begin
  for attempt in 1..2 loop
    -- "returning" has no old values before PostgreSQL 18. An increase is calculated from the new ones; a decrease that ends at 0 is not.
    if p_delta < 0 then
      select c.overage into v_overage from usage_counters c
       where c.tenant_id = p_tenant and c.metric = p_metric and c.window_key = p_window for update;
    end if;
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
      returning c.used, c.overage,
             case when p_delta < 0 then c.overage - v_overage
                  when p_limit >= 0 then greatest(0, c.used - greatest(p_limit, c.used - p_delta))
                  else 0 end,
             c.due_percent > c.warned_percent;
    exit when found or attempt = 2;
    insert into usage_counters (tenant_id, metric, window_key, starts_at, warned_for)
    values (p_tenant, p_metric, p_window, p_starts, p_warn_for)
    on conflict do nothing;
  end loop;
end $$;
