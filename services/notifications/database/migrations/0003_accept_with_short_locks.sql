-- breaking: yes, because a process of an earlier release calls accept_message, which is gone
-- Accepting a message is two statements: the second locks the rows that a tenant's requests share, and is sent with the commit. The
-- statements of these functions find their rows by keys, so one plan suits all values: without the setting PostgreSQL plans them
-- again at each call, which took most of the time.
drop function accept_message(jsonb, jsonb, jsonb, timestamptz);

-- Records a message with its deliveries: deduplicates it, and decides which deliveries are queued and which are skipped. A key that
-- was used for another request is raised as LN001. `admit_message` must follow in the same transaction. Call it inside the tenant.
create function record_message(p_message jsonb, p_deliveries jsonb, p_rules jsonb, p_now timestamptz)
returns table (message_id uuid, is_replayed boolean, pending integer, counts jsonb)
language plpgsql
set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan
as $$
declare
  v_tenant constant uuid := (p_message->>'tenant_id')::uuid;
  v_id constant uuid := (p_message->>'id')::uuid;
  v_channel constant text := p_message->>'channel';
  v_class constant text := p_message->>'class';
  v_is_critical constant boolean := (p_rules->>'is_critical')::boolean;
  v_is_exempt constant boolean := (p_message->>'is_exempt')::boolean;
  v_send_at constant timestamptz := (p_message->>'send_at')::timestamptz;
  v_earlier record;
  v_suppressed jsonb;
  v_rows jsonb;
  v_queued integer;
begin
  if p_rules ? 'key_hash' then
    select k.message_id, k.body_hmac into v_earlier from idempotency_keys k
     where k.tenant_id = v_tenant and k.caller = p_rules->>'caller' and k.expires_at > p_now
       and k.key_hash in (select decode(other, 'hex') from jsonb_array_elements_text(p_rules->'older_key_hashes') other);
    if not found then
      insert into idempotency_keys as k (tenant_id, caller, key_hash, body_hmac, message_id, expires_at)
      values (v_tenant, p_rules->>'caller', decode(p_rules->>'key_hash', 'hex'), decode(p_rules->'body_hmacs'->>0, 'hex'), v_id,
              p_now + interval '24 hours')
      on conflict on constraint idempotency_keys__pkey do update
         set message_id = excluded.message_id, body_hmac = excluded.body_hmac, expires_at = excluded.expires_at
       where k.expires_at <= p_now;
      if not found then
        select k.message_id, k.body_hmac into v_earlier from idempotency_keys k
         where k.tenant_id = v_tenant and k.caller = p_rules->>'caller' and k.key_hash = decode(p_rules->>'key_hash', 'hex');
      end if;
    end if;
    if v_earlier is not null then
      if encode(v_earlier.body_hmac, 'hex') not in (select jsonb_array_elements_text(p_rules->'body_hmacs')) then
        raise exception 'idempotency_key_reused' using errcode = 'LN001';
      end if;
      return query select v_earlier.message_id, true, 0, '{}'::jsonb;
      return;
    end if;
  end if;

  select coalesce(jsonb_agg(encode(s.address_key, 'hex')), '[]') into v_suppressed
    from list_suppressed(v_tenant, v_channel, (
           select array_agg(decode(key, 'hex'))
             from jsonb_array_elements(p_deliveries) one, jsonb_array_elements_text(one->'keys') key), p_now) s
   where (s.category is null or s.category = p_message->>'category')
     and (not v_is_critical or s.reason in ('bounce', 'invalid'));
  select jsonb_agg(d.row || jsonb_build_object('status', case
           when d.row ? 'skip' then d.row->>'skip'
           when v_suppressed ?| array(select jsonb_array_elements_text(d.row->'keys')) then 'suppressed'
           when not v_is_critical and d.row->>'user_id' is not null and not coalesce((
             select p.is_on from preferences p
              where p.category = p_message->>'category' and p.channel = v_channel
                and (p.tenant_id = v_tenant or p.tenant_id is null)
                and (p.user_id = (d.row->>'user_id')::uuid or p.user_id is null)
              order by p.user_id is null, p.tenant_id is null limit 1), true) then 'skipped_preference'
           else 'queued' end) order by (d.row->>'position')::integer)
    into v_rows
    from jsonb_array_elements(p_deliveries) as d (row);
  select count(*) into v_queued from jsonb_array_elements(v_rows) r where r->>'status' = 'queued';

  insert into messages (tenant_id, id, source, channel, class, category, template, template_version_id, data_key_id, data,
    has_secret, labels, outlet_id, locale, provider, send_at, expires_at, caller_kind, caller_id, about_tenant_id, run_id,
    resend_of, is_exempt, wants_delivery_events, recipients, pending, created_at)
  values (v_tenant, v_id, p_message->>'source', v_channel, v_class, p_message->>'category', p_message->>'template',
    (p_message->>'template_version_id')::uuid, p_message->>'data_key_id', decode(p_message->>'data', 'hex'),
    (p_message->>'has_secret')::boolean, p_message->'labels', (p_message->>'outlet_id')::uuid, p_message->>'locale',
    p_message->>'provider', v_send_at, (p_message->>'expires_at')::timestamptz, p_message->>'caller_kind',
    p_message->>'caller_id', (p_message->>'about_tenant_id')::uuid, (p_message->>'run_id')::uuid,
    (p_message->>'resend_of')::uuid, v_is_exempt, (p_message->>'wants_delivery_events')::boolean,
    jsonb_array_length(v_rows), v_queued, p_now);
  insert into message_deliveries (tenant_id, id, message_id, position, channel, class, address_key_id, address, address_key,
    address_masked, user_id, locale, status, due_at, expires_at, segments, created_at, final_at)
  select v_tenant, (r->>'id')::uuid, v_id, (r->>'position')::integer, v_channel, v_class, r->>'address_key_id',
         decode(r->>'address', 'hex'), decode(r->'keys'->>0, 'hex'), r->>'masked', (r->>'user_id')::uuid, r->>'locale',
         r->>'status', v_send_at, (p_message->>'expires_at')::timestamptz, (r->>'segments')::integer, p_now,
         case when r->>'status' <> 'queued' then p_now end
    from jsonb_array_elements(v_rows) r;

  return query
    select v_id, false, v_queued, (
      select jsonb_object_agg(c.status, c.n)
        from (select r->>'status' as status, count(*) as n from jsonb_array_elements(v_rows) r group by 1) c);
end
$$;
revoke execute on function record_message(jsonb, jsonb, jsonb, timestamptz) from public;
grant execute on function record_message(jsonb, jsonb, jsonb, timestamptz) to lango_app;

-- Counts the queued deliveries of a recorded message against the day and the bucket, reserves credit, and wakes the lane. A refusal
-- is raised as LN002 to LN004 and undoes the message, too. Returns how many deliveries stay queued. The rows that a tenant's requests
-- share are locked in this order: day, bucket, credit, lane. Send it with the commit where its answer is not needed, so that they are
-- locked for a short time. Call it inside the tenant.
create function admit_message(p_tenant uuid, p_message uuid, p_rules jsonb, p_now timestamptz)
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
                   ((v_message.send_at at time zone t.time_zone)::date + 1) at time zone t.time_zone - p_now))
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
revoke execute on function admit_message(uuid, uuid, jsonb, timestamptz) from public;
grant execute on function admit_message(uuid, uuid, jsonb, timestamptz) to lango_app;

alter function claim_lane(uuid, jsonb, integer, timestamptz) set plan_cache_mode = force_generic_plan;
alter function settle_deliveries(uuid, jsonb, timestamptz) set plan_cache_mode = force_generic_plan;
