-- breaking: no

-- The delay before a retry doubles with tries that did not succeed. Claims are more: postponed ones and lost leases are no tries.
alter table message_deliveries add column tries integer not null default 0;
comment on column message_deliveries.tries is 'Failures and tries that reached no provider: each lengthens the delay before the next one. Postponed claims and lost leases do not count.';

drop function claim_lane(uuid, jsonb, integer, timestamptz);

-- Claims due deliveries of a lane. Each is leased, and returned with a verdict: send, expired or suppressed. Those in quiet hours of
-- their person are moved to the end, except tests. The lane is locked first, so that a message that is accepted meanwhile is seen,
-- or sets the lane due itself. Call it inside the tenant.
create function claim_lane(p_tenant uuid, p_lane jsonb, p_max integer, p_now timestamptz)
returns table (id uuid, attempt integer, failures integer, tries integer, verdict text, message_id uuid, address_key_id text,
  address bytea, address_key bytea, user_id uuid, locale text, segments integer, provider_id uuid, due_at timestamptz, expires_at timestamptz,
  category text, template text, template_version_id uuid, data_key_id text, data bytea, message_locale text, provider text,
  about_tenant_id uuid, is_exempt boolean)
language plpgsql
set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  v_channel constant text := p_lane->>'channel';
  v_class constant text := p_lane->>'class';
begin
  perform from lanes l where l.tenant_id = p_tenant and l.channel = v_channel and l.class = v_class for update;
  if v_channel = 'email' and v_class <> 'urgent' then
    -- A pause waits for the claims that have begun; those that begin later see it.
    perform pg_advisory_xact_lock_shared(hashtextextended('reputation ' || p_tenant, 0));
    if is_resting(p_tenant, v_channel, v_class) then return; end if;
  end if;
  return query
  with due as materialized (
    select d.id, d.address_key, d.expires_at, d.due_at, d.user_id, m.category, m.source = 'test' as is_test
      from message_deliveries d join messages m on m.tenant_id = d.tenant_id and m.id = d.message_id
     where d.tenant_id = p_tenant and d.channel = v_channel and d.class = v_class and d.status = 'queued' and d.due_at <= p_now
     order by d.due_at limit p_max for update of d skip locked
  ), hits as (
    select distinct due.id from due
      join list_suppressed(p_tenant, v_channel, (select array_agg(due.address_key) from due), p_now) s
        on s.address_key = due.address_key and (s.category is null or s.category = due.category)
     where not ((p_lane->'critical') ? due.category or due.is_test) or s.reason in ('bounce', 'invalid')
  ), quiet as materialized (
    select due.id, end_of_quiet_hours(p_now, coalesce(r.time_zone, t.time_zone), r.quiet_from, r.quiet_until) as ends_at
      from due join recipients r on r.tenant_id = p_tenant and r.id = due.user_id join tenants t on t.id = p_tenant
     where v_channel in ('push', 'sms', 'whatsapp') and v_class <> 'urgent' and r.quiet_from is not null
       and due.expires_at > p_now and not ((p_lane->'critical') ? due.category or due.is_test)
  ), moved as (
    update message_deliveries d set due_at = quiet.ends_at from quiet
     where d.tenant_id = p_tenant and d.id = quiet.id and quiet.ends_at is not null returning d.id
  ), noted as (
    insert into delivery_events (tenant_id, delivery_id, at, kind, detail)
    select p_tenant, moved.id, p_now, 'decision', '{"decision": "quiet_hours"}' from moved
  ), leased as (
    update message_deliveries d
       set status = 'sending', attempt = d.attempt + 1, called_at = null,
           lease_until = p_now + make_interval(secs => (p_lane->>'lease_seconds')::integer)
      from due where d.tenant_id = p_tenant and d.id = due.id
       and not exists (select from quiet where quiet.id = due.id and quiet.ends_at is not null)
    returning d.*, due.due_at as was_due_at
  )
  select l.id, l.attempt, l.failures, l.tries,
         case when l.expires_at <= p_now then 'expired' when l.id in (select hits.id from hits) then 'suppressed' else 'send' end,
         l.message_id, l.address_key_id, l.address, l.address_key, l.user_id, l.locale, l.segments, l.provider_id, l.was_due_at,
         l.expires_at, m.category, m.template, m.template_version_id, m.data_key_id, m.data, m.locale, m.provider,
         m.about_tenant_id, m.is_exempt
    from leased l join messages m on m.tenant_id = l.tenant_id and m.id = l.message_id;
  update lanes l
     set served_at = p_now,
         next_due_at = (select min(d.due_at) from message_deliveries d
                         where d.tenant_id = p_tenant and d.channel = v_channel and d.class = v_class and d.status = 'queued')
   where l.tenant_id = p_tenant and l.channel = v_channel and l.class = v_class;
end
$$;
revoke execute on function claim_lane(uuid, jsonb, integer, timestamptz) from public;
grant execute on function claim_lane(uuid, jsonb, integer, timestamptz) to lango_app;

-- Settles outcomes of deliveries in one transaction: state, timeline, credit, the message's open deliveries, and the lanes of
-- those that are tried again. A result of an older attempt changes nothing. Returns the deliveries that changed. Locks are taken in
-- this order: deliveries, messages, day, credit, lanes, reputation. Call it inside the tenant.
create or replace function settle_deliveries(p_tenant uuid, p_results jsonb, p_now timestamptz)
returns table (id uuid, message_id uuid, channel text, status text, version integer, user_id uuid, address_masked text,
  error_class text, error_code text, provider_kind text, template text, is_message_complete boolean, wants_events boolean, credit_low jsonb)
language plpgsql
set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  v_changed jsonb;
  v_done uuid[];
  v_settled bigint;
  v_released bigint;
  v_account credit_balances;
  v_credit_low jsonb;
begin
  with result as (
    select * from jsonb_to_recordset(p_results) as r (
      id uuid, attempt integer, "from" jsonb, status text, rank smallint, provider_id uuid, ref text, error_class text,
      error_code text, due_at timestamptz, is_failure boolean, is_bad_address boolean, segments integer, kind text, detail jsonb)
  ), before as materialized (
    select d.id, d.status, d.segments, d.channel, d.message_id, d.sent_at from message_deliveries d join result r on r.id = d.id
     where d.tenant_id = p_tenant order by d.id for update of d
  ), moved as (
    update message_deliveries d
       set status = r.status, rank = greatest(d.rank, coalesce(r.rank, 0)), provider_id = coalesce(r.provider_id, d.provider_id),
           ref = coalesce(r.ref, d.ref), error_class = r.error_class, error_code = r.error_code,
           due_at = coalesce(r.due_at, d.due_at), lease_until = null, version = d.version + 1,
           failures = d.failures + case when r.is_failure then 1 else 0 end,
           tries = d.tries + case when r.is_failure or r.error_class = 'unreachable' then 1 else 0 end,
           segments = coalesce(r.segments, d.segments),
           sent_at = case when r.rank >= 1 and r.status <> 'expired' then coalesce(d.sent_at, p_now) else d.sent_at end,
           final_at = case when r.status in ('queued', 'unknown', 'sent') then null else coalesce(d.final_at, p_now) end
      from result r, before b
     where d.tenant_id = p_tenant and d.id = r.id and b.id = d.id and (r.attempt is null or d.attempt = r.attempt)
       and r."from" ? d.status and (r.rank is null or r.rank > d.rank)
    returning d.id, d.message_id, d.channel, d.class, d.status, d.version, d.user_id, d.address_masked, d.due_at,
              d.error_class, d.error_code, d.provider_id, b.status as was, b.segments as reserved, r.rank as reported_rank, r.kind, r.detail,
              d.sent_at is not null and b.sent_at is null as is_sent_now, coalesce(r.is_bad_address, false) as is_bad_address
  ), noted as (
    insert into delivery_events (tenant_id, delivery_id, at, kind, detail)
    select p_tenant, moved.id, p_now, moved.kind, moved.detail from moved where moved.kind is not null
  )
  select jsonb_agg(to_jsonb(moved)) into v_changed from moved;
  if v_changed is null then return; end if;

  -- Deliveries that were open, and are sent or final now.
  perform from messages m where m.tenant_id = p_tenant
      and m.id in (select (c->>'message_id')::uuid from jsonb_array_elements(v_changed) c) order by m.id for update;
  with closed as (
    select (c->>'message_id')::uuid as message_id, count(*) as n from jsonb_array_elements(v_changed) c
     where c->>'was' in ('queued', 'sending', 'unknown') and c->>'status' not in ('queued', 'sending', 'unknown') group by 1
  ), counted as (
    update messages m set pending = m.pending - closed.n from closed
     where m.tenant_id = p_tenant and m.id = closed.message_id returning m.id, m.pending
  )
  select array_agg(counted.id) into v_done from counted where counted.pending = 0;

  select coalesce(sum((c->>'reserved')::bigint) filter (where (c->>'reported_rank')::smallint >= 1), 0),
         coalesce(sum((c->>'reserved')::bigint) filter (where coalesce((c->>'reported_rank')::smallint, 0) < 1), 0)
    into v_settled, v_released
    from jsonb_array_elements(v_changed) c
   where c->>'channel' = 'sms' and c->>'was' in ('queued', 'sending', 'unknown')
     and c->>'status' not in ('queued', 'sending', 'unknown')
     and exists (select from credit_entries e
                  where e.tenant_id = p_tenant and e.delivery_id = (c->>'id')::uuid and e.kind = 'reserve');
  if v_settled + v_released > 0 then
    update credit_balances a
       set balance = a.balance - v_settled, reserved = a.reserved - v_settled - v_released,
           is_low = a.balance - v_settled < a.threshold, updated_at = p_now
     where a.tenant_id = p_tenant returning * into strict v_account;
    if v_account.is_low and v_account.balance + v_settled >= v_account.threshold then
      v_credit_low := jsonb_build_object('balance', v_account.balance, 'threshold', v_account.threshold);
    end if;
    insert into credit_entries (tenant_id, kind, segments, delivery_id, balance, reserved, at)
    select p_tenant,
           case when (c->>'reported_rank')::smallint >= 1 then 'settle' else 'release' end,
           (c->>'reserved')::bigint, (c->>'id')::uuid, v_account.balance, v_account.reserved, p_now
      from jsonb_array_elements(v_changed) c
     where c->>'channel' = 'sms' and c->>'was' in ('queued', 'sending', 'unknown')
       and c->>'status' not in ('queued', 'sending', 'unknown')
       and exists (select from credit_entries e
                    where e.tenant_id = p_tenant and e.delivery_id = (c->>'id')::uuid and e.kind = 'reserve');
  end if;

  insert into lanes as l (tenant_id, channel, class, next_due_at, served_at)
  select p_tenant, c->>'channel', c->>'class', min((c->>'due_at')::timestamptz), p_now
    from jsonb_array_elements(v_changed) c where c->>'status' = 'queued'
   group by c->>'channel', c->>'class' order by c->>'channel', c->>'class'
  on conflict on constraint lanes__pkey do update
     set next_due_at = least(coalesce(l.next_due_at, excluded.next_due_at), excluded.next_due_at);

  insert into reputation_hours as h (tenant_id, hour, slot, sent, bounced, complained)
  select p_tenant, date_trunc('hour', p_now), pg_backend_pid() % 8,
         count(*) filter (where (c->>'is_sent_now')::boolean or (c->>'is_bad_address')::boolean),
         count(*) filter (where c->>'status' = 'bounced' or (c->>'is_bad_address')::boolean), 0
    from jsonb_array_elements(v_changed) c
    join messages m on m.tenant_id = p_tenant and m.id = (c->>'message_id')::uuid and not m.is_exempt
   where c->>'channel' = 'email'
     and ((c->>'is_sent_now')::boolean or (c->>'is_bad_address')::boolean or c->>'status' = 'bounced')
  having count(*) > 0
  on conflict on constraint reputation_hours__pkey do update set sent = h.sent + excluded.sent, bounced = h.bounced + excluded.bounced;

  return query
    select (c->>'id')::uuid, (c->>'message_id')::uuid, c->>'channel', c->>'status', (c->>'version')::integer,
           (c->>'user_id')::uuid, c->>'address_masked', c->>'error_class', c->>'error_code',
           (select p.kind from providers p where p.id = (c->>'provider_id')::uuid), m.template, coalesce((c->>'message_id')::uuid = any (v_done), false),
           m.wants_delivery_events, v_credit_low
      from jsonb_array_elements(v_changed) c
      join messages m on m.tenant_id = p_tenant and m.id = (c->>'message_id')::uuid;
end
$$;
