-- breaking: no
-- Reports of providers: found, applied, and turned into suppressions.

-- Settles outcomes of deliveries in one transaction: state, timeline, credit, the message's open deliveries, and the lanes of
-- those that are tried again. A result of an older attempt changes nothing. Returns the deliveries that changed. Locks are taken in
-- this order: deliveries, messages, day, credit, lanes. Call it inside the tenant.
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
      error_code text, due_at timestamptz, is_failure boolean, segments integer, kind text, detail jsonb)
  ), before as materialized (
    select d.id, d.status, d.segments, d.channel, d.message_id from message_deliveries d join result r on r.id = d.id
     where d.tenant_id = p_tenant order by d.id for update of d
  ), moved as (
    update message_deliveries d
       set status = r.status, rank = greatest(d.rank, coalesce(r.rank, 0)), provider_id = coalesce(r.provider_id, d.provider_id),
           ref = coalesce(r.ref, d.ref), error_class = r.error_class, error_code = r.error_code,
           due_at = coalesce(r.due_at, d.due_at), lease_until = null, version = d.version + 1,
           failures = d.failures + case when r.is_failure then 1 else 0 end,
           segments = coalesce(r.segments, d.segments),
           sent_at = case when r.rank >= 1 and r.status <> 'expired' then coalesce(d.sent_at, p_now) else d.sent_at end,
           final_at = case when r.status in ('queued', 'unknown', 'sent') then null else coalesce(d.final_at, p_now) end
      from result r, before b
     where d.tenant_id = p_tenant and d.id = r.id and b.id = d.id and (r.attempt is null or d.attempt = r.attempt)
       and r."from" ? d.status and (r.rank is null or r.rank > d.rank)
    returning d.id, d.message_id, d.channel, d.class, d.status, d.version, d.user_id, d.address_masked, d.due_at,
              d.error_class, d.error_code, d.provider_id, b.status as was, b.segments as reserved, r.rank as reported_rank, r.kind, r.detail
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

  return query
    select (c->>'id')::uuid, (c->>'message_id')::uuid, c->>'channel', c->>'status', (c->>'version')::integer,
           (c->>'user_id')::uuid, c->>'address_masked', c->>'error_class', c->>'error_code',
           (select p.kind from providers p where p.id = (c->>'provider_id')::uuid), m.template, coalesce((c->>'message_id')::uuid = any (v_done), false),
           m.wants_delivery_events, v_credit_low
      from jsonb_array_elements(v_changed) c
      join messages m on m.tenant_id = p_tenant and m.id = (c->>'message_id')::uuid;
end
$$;

-- Not the bodies: functions read them.
grant select (id, tenant_id, provider_id, received_at, due_at, attempt, applied_at) on provider_reports to lango_app;

-- Stores reports of a provider, each once. Returns how many are new.
create function store_reports(p_provider uuid, p_reports jsonb, p_now timestamptz)
returns integer
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  v_stored integer;
begin
  insert into provider_reports (tenant_id, provider_id, event_key, body_key_id, body, received_at, due_at)
  select p.tenant_id, p.id, decode(r.event_key, 'hex'), r.key_id, decode(r.body, 'hex'), p_now, p_now
    from providers p, jsonb_to_recordset(p_reports) as r (event_key text, key_id text, body text)
   where p.id = p_provider
  on conflict on constraint provider_reports__event_unique do nothing;
  get diagnostics v_stored = row_count;
  return v_stored;
end
$$;
alter function store_reports(uuid, jsonb, timestamptz) owner to lango_lookup;
revoke execute on function store_reports(uuid, jsonb, timestamptz) from public;
grant execute on function store_reports(uuid, jsonb, timestamptz) to lango_app;

-- Takes due reports, at most p_max. They are due again after p_again seconds unless they are finished.
create function take_reports(p_max integer, p_again integer, p_now timestamptz)
returns table (id uuid, provider_id uuid, attempt integer, body_key_id text, body bytea)
language sql security definer
set search_path = public, pg_temp
as $$
  update provider_reports r set attempt = r.attempt + 1, due_at = p_now + make_interval(secs => p_again)
   where r.id = any (array(
     select d.id from provider_reports d where d.applied_at is null and d.due_at <= p_now
      order by d.due_at limit p_max for update skip locked))
  returning r.id, r.provider_id, r.attempt, r.body_key_id, r.body
$$;
alter function take_reports(integer, integer, timestamptz) owner to lango_lookup;
revoke execute on function take_reports(integer, integer, timestamptz) from public;
grant execute on function take_reports(integer, integer, timestamptz) to lango_app;

-- Marks reports as applied. Returns those that were not.
create function finish_reports(p_ids uuid[], p_now timestamptz)
returns table (id uuid)
language sql security definer
set search_path = public, pg_temp
as $$
  update provider_reports r set applied_at = p_now where r.id = any (p_ids) and r.applied_at is null returning r.id
$$;
alter function finish_reports(uuid[], timestamptz) owner to lango_lookup;
revoke execute on function finish_reports(uuid[], timestamptz) from public;
grant execute on function finish_reports(uuid[], timestamptz) to lango_app;

-- The deliveries that reports are about: sent through that provider, and found by its id of the message or by ours. A delivery
-- whose call has not ended is found by our id only, because its row does not name the provider yet.
create function find_reported(p_reports jsonb)
returns table (report_id uuid, tenant_id uuid, delivery_id uuid, status text)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select r.id, d.tenant_id, d.id, d.status
    from jsonb_to_recordset(p_reports) as r (id uuid, provider_id uuid, ref text, tenant_id uuid, delivery_id uuid)
    join lateral (
      (select f.tenant_id, f.id, f.status from message_deliveries f where f.provider_id = r.provider_id and f.ref = r.ref limit 1)
      union
      (select f.tenant_id, f.id, f.status from message_deliveries f
         join providers p on p.id = r.provider_id and (p.tenant_id is null or p.tenant_id = f.tenant_id)
        where f.tenant_id = r.tenant_id and f.id = r.delivery_id and (f.provider_id = r.provider_id or f.status = 'sending'))
      limit 1
    ) d on true
$$;
alter function find_reported(jsonb) owner to lango_lookup;
revoke execute on function find_reported(jsonb) from public;
grant execute on function find_reported(jsonb) to lango_app;

-- Suppresses the addresses of deliveries. An address that can never be reached is suppressed for every tenant for 90 days if the
-- provider is the platform's; else, and after complaints and repeated soft bounces, for the tenant. Returns the new suppressions.
create function suppress_addresses(p_tenant uuid, p_items jsonb, p_now timestamptz)
returns table (delivery_id uuid, channel text, user_id uuid, address_masked text, reason text)
language sql security definer
set search_path = public, pg_temp
as $$
  with bad as (
    select distinct on (d.channel, d.address_key, i.category)
           d.id, d.channel, d.user_id, d.address_key, d.address_masked, i.category, i.reason, i.days,
           i.days is null and i.category is null and d.channel <> 'push'
             and exists (select from providers p where p.id = d.provider_id and p.tenant_id is null) as is_everywhere,
           coalesce(d.address_key_id, '') as key_id
      from jsonb_to_recordset(p_items) as i (delivery_id uuid, category text, reason text, days integer)
      join message_deliveries d on d.tenant_id = p_tenant and d.id = i.delivery_id
     order by d.channel, d.address_key, i.category, i.days nulls first, d.id
  ), added as (
    insert into suppressions as s (tenant_id, channel, address_key_id, address_key, address_masked, category, reason, expires_at, created_at)
    select case when b.is_everywhere then null else p_tenant end, b.channel, b.key_id, b.address_key, b.address_masked, b.category,
           b.reason, p_now + make_interval(days => case when b.is_everywhere then 90 else b.days end), p_now
      from bad b
    on conflict on constraint suppressions__address_unique do update
       set expires_at = case when s.expires_at is null or excluded.expires_at is null then null
                             else greatest(s.expires_at, excluded.expires_at) end
    returning s.channel, s.address_key, s.category, s.created_at = p_now as is_new
  )
  select b.id, b.channel, b.user_id, b.address_masked, b.reason
    from bad b join added a on a.channel = b.channel and a.address_key = b.address_key and a.category is not distinct from b.category
   where a.is_new
   order by b.id
$$;
alter function suppress_addresses(uuid, jsonb, timestamptz) owner to lango_lookup;
revoke execute on function suppress_addresses(uuid, jsonb, timestamptz) from public;
grant execute on function suppress_addresses(uuid, jsonb, timestamptz) to lango_app;
