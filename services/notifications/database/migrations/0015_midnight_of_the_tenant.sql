-- breaking: no
-- Retry-After of the day's limit ended at midnight of UTC, moved twice by the tenant's offset.
create or replace function admit_message(p_tenant uuid, p_message uuid, p_rules jsonb, p_now timestamptz)
returns table (pending integer, skipped text)
language plpgsql
set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_daily_limit constant integer := (p_rules->>'daily_limit')::integer;
  v_message record;
  v_queued integer;
  v_used integer;
  v_limit record;
  v_tokens double precision;
  v_available bigint;
  v_reserved bigint;
  v_next_due_at timestamptz;
  v_skipped text;
begin
  select m.channel, m.class, m.send_at, m.is_exempt, m.pending into strict v_message from messages m
   where m.tenant_id = p_tenant and m.id = p_message;
  v_queued := v_message.pending;

  if v_message.channel = 'email' and not v_message.is_exempt and v_queued > 0 then
    insert into send_days as s (tenant_id, day, used)
    select p_tenant, (v_message.send_at at time zone t.time_zone)::date, v_queued from tenants t
     where t.id = p_tenant and (v_daily_limit = -1 or v_queued <= v_daily_limit)
    on conflict on constraint send_days__pkey do update set used = s.used + v_queued
     where v_daily_limit = -1 or s.used + v_queued <= v_daily_limit
    returning s.used into v_used;
    if v_used is null then
      if p_rules->>'over_limit' <> 'skip' then
        raise exception 'daily_limit_reached' using errcode = 'LN002', detail = (
          select v_daily_limit || ' ' || ceil(extract(epoch from
                   ((v_message.send_at at time zone t.time_zone)::date + 1)::timestamp at time zone t.time_zone - p_now))
            from tenants t where t.id = p_tenant);
      end if;
      update message_deliveries d set status = 'skipped_limit', final_at = p_now
       where d.tenant_id = p_tenant and d.message_id = p_message and d.status = 'queued';
      v_skipped := 'skipped_limit';
      v_queued := 0;
    end if;
  end if;

  if not v_message.is_exempt and v_queued > 0 then
    select l.per_minute, l.burst into strict v_limit from limits l
     where l.channel = v_message.channel and (l.tenant_id = p_tenant or l.tenant_id is null)
     order by l.tenant_id is null limit 1;
    if v_queued > v_limit.burst then
      raise exception 'too_many_recipients' using errcode = 'LN003', detail = v_limit.burst::text;
    end if;
    insert into channel_buckets as b (tenant_id, channel, tokens, refilled_at)
    values (p_tenant, v_message.channel, v_limit.burst - v_queued, p_now)
    on conflict on constraint channel_buckets__pkey do update
       set tokens = least(v_limit.burst, b.tokens
             + greatest(extract(epoch from p_now - b.refilled_at), 0) * v_limit.per_minute / 60.0) - v_queued,
           refilled_at = greatest(b.refilled_at, p_now)
     where least(v_limit.burst, b.tokens
             + greatest(extract(epoch from p_now - b.refilled_at), 0) * v_limit.per_minute / 60.0) >= v_queued;
    if not found then
      select least(v_limit.burst, b.tokens + greatest(extract(epoch from p_now - b.refilled_at), 0) * v_limit.per_minute / 60.0)
        into v_tokens from channel_buckets b where b.tenant_id = p_tenant and b.channel = v_message.channel;
      raise exception 'channel_limited' using errcode = 'LN004',
        detail = greatest(ceil((v_queued - v_tokens) * 60.0 / v_limit.per_minute), 1)::text;
    end if;
  end if;

  if v_message.channel = 'sms' and not v_message.is_exempt and v_queued > 0 then
    select a.balance - a.reserved into v_available from credit_balances a where a.tenant_id = p_tenant for update;
    update message_deliveries d set status = 'skipped_no_credit', final_at = p_now
      from (select o.id, sum(o.segments) over (order by o.position) as total from message_deliveries o
             where o.tenant_id = p_tenant and o.message_id = p_message and o.status = 'queued') c
     where d.tenant_id = p_tenant and d.id = c.id and c.total > coalesce(v_available, 0);
    if found then v_skipped := 'skipped_no_credit'; end if;
    select count(*), coalesce(sum(d.segments), 0) into v_queued, v_reserved from message_deliveries d
     where d.tenant_id = p_tenant and d.message_id = p_message and d.status = 'queued';
    if v_reserved > 0 then
      update credit_balances a set reserved = a.reserved + v_reserved, updated_at = p_now where a.tenant_id = p_tenant;
      insert into credit_entries (tenant_id, kind, segments, delivery_id, balance, reserved, at)
      select p_tenant, 'reserve', d.segments, d.id, a.balance, a.reserved, p_now
        from message_deliveries d, credit_balances a
       where d.tenant_id = p_tenant and d.message_id = p_message and d.status = 'queued' and a.tenant_id = p_tenant;
    end if;
  end if;

  if v_queued <> v_message.pending then
    update messages m set pending = v_queued where m.tenant_id = p_tenant and m.id = p_message;
  end if;
  if v_queued > 0 then
    select l.next_due_at into v_next_due_at from lanes l
     where l.tenant_id = p_tenant and l.channel = v_message.channel and l.class = v_message.class for update;
    if v_next_due_at is null or v_next_due_at > v_message.send_at then
      insert into lanes as l (tenant_id, channel, class, next_due_at, served_at)
      values (p_tenant, v_message.channel, v_message.class, v_message.send_at, p_now)
      on conflict on constraint lanes__pkey do update
         set next_due_at = least(coalesce(l.next_due_at, v_message.send_at), v_message.send_at);
      if v_message.send_at <= p_now then perform pg_notify('notifications_changed', 'due ' || v_message.class); end if;
    end if;
  end if;
  return query select v_queued, v_skipped;
end
$$;
