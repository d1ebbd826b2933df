-- breaking: no

-- During the trial of a plan a tenant writes to at most 200 new recipients a day. An address is new if no earlier delivery to it was
-- queued: the deliveries themselves are the record, so it ends with them, and with the erasure of a person.
alter table send_days add column new_recipients integer not null default 0;
alter table send_days add column trial_limit_reached_at timestamptz;
comment on column send_days.new_recipients is 'During the trial: addresses of this day, on every channel, to which no earlier delivery was queued.';
comment on column send_days.trial_limit_reached_at is 'When a message was first skipped or refused because of too many new recipients: the event is published once.';

-- Counts the queued deliveries of a message to addresses to which no other delivery of the tenant was queued before, as far back as
-- deliveries are kept. p_older_keys: the keys of an address under older key-encryption keys, by the newest one. Until the end of the
-- transaction other messages of the tenant wait here, so that no address is counted twice. Call it inside the tenant.
create function count_new_recipients(p_tenant uuid, p_message uuid, p_older_keys jsonb)
returns integer
language plpgsql
set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('new recipients ' || p_tenant, 0));
  return (
    select count(*) from message_deliveries d
     where d.tenant_id = p_tenant and d.message_id = p_message and d.status = 'queued' and not exists (
       select from (select d.address_key
                    union all
                    select decode(older, 'hex')
                      from jsonb_array_elements_text(p_older_keys->encode(d.address_key, 'hex')) older) k (address_key)
         join message_deliveries e on e.tenant_id = p_tenant and e.address_key = k.address_key
        where e.message_id <> p_message
          and e.status not in ('suppressed', 'skipped_preference', 'skipped_no_credit', 'skipped_no_subscription', 'skipped_limit',
            'digested')));
end
$$;
revoke execute on function count_new_recipients(uuid, uuid, jsonb) from public;
grant execute on function count_new_recipients(uuid, uuid, jsonb) to lango_app;

drop function admit_message(uuid, uuid, jsonb, timestamptz);

-- Counts the queued deliveries of a recorded message against the day and the bucket, reserves credit, and wakes the lane. A refusal
-- is raised as LN002 to LN005 and undoes the message, too. Returns how many deliveries stay queued, as what the others ended, and
-- the limit of the day that was reached: daily or trial. The rows that a tenant's requests share are locked in this order: new
-- recipients, day, bucket, credit, lane. Send it with the commit where its answer is not needed, so that they are locked for a short
-- time. Call it inside the tenant.
create function admit_message(p_tenant uuid, p_message uuid, p_rules jsonb, p_now timestamptz)
returns table (pending integer, skipped text, reached text)
language plpgsql
set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_daily_limit constant integer := (p_rules->>'daily_limit')::integer;
  v_trial_limit constant integer := (p_rules->>'trial_limit')::integer;
  v_message record;
  v_queued integer;
  v_mails integer;
  v_new integer := 0;
  v_used integer;
  v_limit record;
  v_tokens double precision;
  v_available bigint;
  v_reserved bigint;
  v_next_due_at timestamptz;
  v_skipped text;
  v_reached text;
begin
  select m.channel, m.class, m.send_at, m.is_exempt, m.pending into strict v_message from messages m
   where m.tenant_id = p_tenant and m.id = p_message;
  v_queued := v_message.pending;

  if not v_message.is_exempt and v_queued > 0 and (v_message.channel = 'email' or v_trial_limit is not null) then
    if v_trial_limit is not null then
      v_new := count_new_recipients(p_tenant, p_message, p_rules->'older_keys');
    end if;
    v_mails := case when v_message.channel = 'email' then v_queued else 0 end;
    insert into send_days as s (tenant_id, day, used, new_recipients)
    select p_tenant, (v_message.send_at at time zone t.time_zone)::date, v_mails, v_new from tenants t
     where t.id = p_tenant and (v_daily_limit = -1 or v_mails = 0 or v_mails <= v_daily_limit)
       and (v_new = 0 or v_new <= v_trial_limit)
    on conflict on constraint send_days__pkey do update set used = s.used + v_mails, new_recipients = s.new_recipients + v_new
     where (v_daily_limit = -1 or v_mails = 0 or s.used + v_mails <= v_daily_limit)
       and (v_new = 0 or s.new_recipients + v_new <= v_trial_limit)
    returning s.used into v_used;
    if v_used is null then
      select case when v_new > 0 and v_new + coalesce(max(s.new_recipients), 0) > v_trial_limit then 'trial' else 'daily' end
        into v_reached from tenants t
        join send_days s on s.tenant_id = t.id and s.day = (v_message.send_at at time zone t.time_zone)::date
       where t.id = p_tenant;
      if p_rules->>'over_limit' <> 'skip' then
        raise exception '%', v_reached || '_limit_reached' using
          errcode = case v_reached when 'trial' then 'LN005' else 'LN002' end, detail = (
          select case v_reached when 'trial' then v_trial_limit else v_daily_limit end || ' ' || ceil(extract(epoch from
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
    if found then
      v_skipped := 'skipped_no_credit';
      if v_new > 0 then
        update send_days s set new_recipients = s.new_recipients - v_new + count_new_recipients(p_tenant, p_message, p_rules->'older_keys')
          from tenants t
         where t.id = p_tenant and s.tenant_id = t.id and s.day = (v_message.send_at at time zone t.time_zone)::date;
      end if;
    end if;
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
  return query select v_queued, v_skipped, v_reached;
end
$$;
revoke execute on function admit_message(uuid, uuid, jsonb, timestamptz) from public;
grant execute on function admit_message(uuid, uuid, jsonb, timestamptz) to lango_app;

-- Takes over the rows of an id of the tenant that is merged into another (decision 0045): e-mails of
-- a day and credit are added, buckets and lanes are joined.
create or replace function prepare_merge(p_from uuid, p_to uuid)
returns void
language sql
set search_path = public, pg_temp
as $$
  select prepare_merge_of_digests(p_from, p_to);
  select prepare_merge_of_people(p_from, p_to);
  select prepare_merge_of_triggers(p_from, p_to);
  update redrives f set request_key = null from redrives d
   where d.tenant_id = p_to and f.tenant_id = p_from
     and (d.caller_kind, d.caller_id, d.request_key) = (f.caller_kind, f.caller_id, f.request_key);
  update credit_entries f set request_key = null from credit_entries d
   where d.tenant_id = p_to and f.tenant_id = p_from and (d.made_by, d.request_key) = (f.made_by, f.request_key);
  delete from idempotency_keys f using idempotency_keys d
   where d.tenant_id = p_to and f.tenant_id = p_from and (d.caller, d.key_hash) = (f.caller, f.key_hash);
  select prepare_merge_of_reputation(p_from, p_to);
  update send_days d
     set used = d.used + f.used, reported = d.reported + f.reported, new_recipients = d.new_recipients + f.new_recipients
    from send_days f
   where d.tenant_id = p_to and f.tenant_id = p_from and f.day = d.day;
  delete from send_days f using send_days d where d.tenant_id = p_to and f.tenant_id = p_from and f.day = d.day;
  delete from channel_buckets f using channel_buckets d
   where d.tenant_id = p_to and f.tenant_id = p_from and f.channel = d.channel;
  update lanes d set next_due_at = least(coalesce(d.next_due_at, f.next_due_at), coalesce(f.next_due_at, d.next_due_at)) from lanes f
   where d.tenant_id = p_to and f.tenant_id = p_from and f.channel = d.channel and f.class = d.class;
  delete from lanes f using lanes d
   where d.tenant_id = p_to and f.tenant_id = p_from and f.channel = d.channel and f.class = d.class;
  update credit_balances d
     set balance = d.balance + f.balance, reserved = d.reserved + f.reserved, is_low = d.balance + f.balance < d.threshold
    from credit_balances f
   where d.tenant_id = p_to and f.tenant_id = p_from;
  update credit_top_ups f set status = 'expired', ended_at = f.requested_at from credit_top_ups d
   where d.tenant_id = p_to and f.tenant_id = p_from and d.status = 'open' and f.status = 'open';
  delete from credit_balances f using credit_balances d where d.tenant_id = p_to and f.tenant_id = p_from;
$$;
