-- breaking: no

create table reputation_hours (
  tenant_id uuid not null constraint reputation_hours__tenant_fkey references tenants (id) on update cascade,
  hour timestamptz not null,
  slot smallint not null,
  sent integer not null,
  bounced integer not null,
  complained integer not null,
  constraint reputation_hours__pkey primary key (tenant_id, hour, slot)
);
create index reputation_hours__old on reputation_hours (hour);
comment on table reputation_hours is 'E-mails of a tenant by the hour, without messages of the platform; kept for two days.';
comment on column reputation_hours.slot is 'Of the connection that counts: transactions at the same time rarely wait for each other.';
comment on column reputation_hours.sent is 'E-mails that a provider accepted, or refused because of the address.';
comment on column reputation_hours.bounced is 'E-mails to addresses that can never be reached, by the hour of the report.';

create table reputation_periods (
  tenant_id uuid not null constraint reputation_periods__tenant_fkey references tenants (id) on update cascade,
  id uuid not null default gen_random_uuid(),
  state text not null constraint reputation_periods__state_check check (state in ('warned', 'paused')),
  cause text not null constraint reputation_periods__cause_check check (cause in ('bounces', 'complaints', 'owner')),
  reason text,
  began_by text,
  began_at timestamptz not null,
  ended_by text,
  end_reason text,
  ended_at timestamptz,
  constraint reputation_periods__pkey primary key (tenant_id, id)
);
create unique index reputation_periods__open on reputation_periods (tenant_id) where ended_at is null;
create index reputation_periods__newest on reputation_periods (tenant_id, began_at desc);
comment on table reputation_periods is 'Since when, and until when, a tenant is warned of its bounces or complaints, or its e-mail is paused. Without an open one its reputation is good.';
comment on column reputation_periods.cause is 'owner: the platform owner paused it, and says why in reason.';

alter table reputation_hours enable row level security;
alter table reputation_hours force row level security;
create policy reputation_hours__tenant on reputation_hours using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy reputation_hours__lookup on reputation_hours to lango_lookup using (true);
create policy reputation_hours__platform on reputation_hours for select to lango_platform using (true);

alter table reputation_periods enable row level security;
alter table reputation_periods force row level security;
create policy reputation_periods__tenant on reputation_periods using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy reputation_periods__lookup on reputation_periods for select to lango_lookup using (true);
create policy reputation_periods__platform on reputation_periods for select to lango_platform using (true);
grant select, insert, update, delete on reputation_hours to lango_app;
grant select, insert, update on reputation_periods to lango_app;
grant select, delete on reputation_hours to lango_lookup;
grant select on reputation_periods to lango_lookup;
grant select on reputation_hours, reputation_periods to lango_platform;

-- Whether deliveries of a lane rest: of a tenant that is not active, and e-mail that is not urgent of a tenant whose e-mail is paused.
create function is_resting(p_tenant uuid, p_channel text, p_class text)
returns boolean
language sql stable security definer
set search_path = public, pg_temp
as $$
  select exists (select from tenants t where t.id = p_tenant and t.status <> 'active')
      or p_channel = 'email' and p_class <> 'urgent'
         and exists (select from reputation_periods r where r.tenant_id = p_tenant and r.ended_at is null and r.state = 'paused')
$$;
alter function is_resting(uuid, text, text) owner to lango_lookup;
revoke execute on function is_resting(uuid, text, text) from public;
grant execute on function is_resting(uuid, text, text) to lango_app;

-- Deliveries of resting lanes that have expired, of every tenant, at most p_max: among the first thousand of each lane.
create function list_expired_at_rest(p_now timestamptz, p_max integer)
returns table (tenant_id uuid, id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select l.tenant_id, d.id
    from lanes l
    cross join lateral (
      select w.id, w.expires_at from message_deliveries w
       where w.tenant_id = l.tenant_id and w.channel = l.channel and w.class = l.class and w.status = 'queued' and w.due_at <= p_now
       order by w.due_at limit 1000) d
   where l.next_due_at <= p_now and d.expires_at <= p_now and is_resting(l.tenant_id, l.channel, l.class)
   order by l.tenant_id, d.id limit p_max
$$;
alter function list_expired_at_rest(timestamptz, integer) owner to lango_lookup;
revoke execute on function list_expired_at_rest(timestamptz, integer) from public;
grant execute on function list_expired_at_rest(timestamptz, integer) to lango_app;

-- The tenants that are warned: they may have recovered.
create function list_warned_tenants(p_after uuid, p_max integer)
returns table (tenant_id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select r.tenant_id from reputation_periods r
   where r.ended_at is null and r.state = 'warned' and (p_after is null or r.tenant_id > p_after)
   order by r.tenant_id limit p_max
$$;
alter function list_warned_tenants(uuid, integer) owner to lango_lookup;
revoke execute on function list_warned_tenants(uuid, integer) from public;
grant execute on function list_warned_tenants(uuid, integer) to lango_app;

-- The lanes with due deliveries of a class, the least recently served first. Resting lanes are left out: `is_resting` in
-- place, because they are the least recently served.
create or replace function due_lanes(p_class text, p_max integer, p_now timestamptz)
returns table (tenant_id uuid, channel text)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select l.tenant_id, l.channel from lanes l join tenants t on t.id = l.tenant_id
   where l.class = p_class and l.next_due_at <= p_now and t.status = 'active'
     and not (p_class <> 'urgent' and l.channel = 'email' and exists (
       select from reputation_periods r where r.tenant_id = l.tenant_id and r.ended_at is null and r.state = 'paused'))
   order by l.served_at limit p_max
$$;

-- Claims due deliveries of a lane. Each is leased, and returned with a verdict: send, expired or suppressed. Those in quiet hours of
-- their person are moved to the end, except tests. The lane is locked first, so that a message that is accepted meanwhile is seen,
-- or sets the lane due itself. Call it inside the tenant.
create or replace function claim_lane(p_tenant uuid, p_lane jsonb, p_max integer, p_now timestamptz)
returns table (id uuid, attempt integer, failures integer, verdict text, message_id uuid, address_key_id text, address bytea,
  address_key bytea, user_id uuid, locale text, segments integer, provider_id uuid, due_at timestamptz, expires_at timestamptz,
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
  select l.id, l.attempt, l.failures,
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

-- What operators watch: for how long the oldest due delivery of each class waits in seconds, without resting lanes, how many outcomes
-- are unknown, how many providers of the platform are degraded, and how many tenants' e-mail is paused.
create or replace function measure_deliveries(p_now timestamptz)
returns table (what text, about text, value double precision)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select 'due', l.class, extract(epoch from p_now - min(l.next_due_at))::double precision
    from lanes l where l.next_due_at <= p_now and not is_resting(l.tenant_id, l.channel, l.class) group by l.class
  union all
  select 'unknown', '', count(*)::double precision
    from (select from message_deliveries d where d.status = 'unknown' limit 10000) u
  union all
  select 'degraded', p.channel, count(*)::double precision
    from providers p where p.tenant_id is null and p.enabled and p.degraded_at is not null group by p.channel
  union all
  select 'paused', '', count(*)::double precision
    from reputation_periods r where r.ended_at is null and r.state = 'paused'
$$;

-- Removes rows of every tenant that have expired, at most p_max of each table. Returns the largest number of one table. Keys of
-- requests stay an hour longer, so that no request that runs now loses the key that it has found.
create or replace function purge_expired(p_now timestamptz, p_max integer)
returns integer
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  v_keys integer;
  v_reports integer;
  v_minutes integer;
  v_suppressions integer;
  v_codes integer;
  v_redrives integer;
  v_hours integer;
begin
  delete from idempotency_keys where expires_at < p_now - interval '1 hour' and ctid = any (array(
    select k.ctid from idempotency_keys k where k.expires_at < p_now - interval '1 hour' limit p_max));
  get diagnostics v_keys = row_count;
  delete from provider_reports where ctid = any (array(
    select r.ctid from provider_reports r where r.received_at < p_now - interval '7 days' limit p_max));
  get diagnostics v_reports = row_count;
  delete from provider_minutes where ctid = any (array(
    select m.ctid from provider_minutes m where m.minute < p_now - interval '1 day' limit p_max));
  get diagnostics v_minutes = row_count;
  delete from suppressions where expires_at < p_now and ctid = any (array(
    select s.ctid from suppressions s where s.expires_at < p_now limit p_max));
  get diagnostics v_suppressions = row_count;
  delete from contact_codes where ctid = any (array(
    select c.ctid from contact_codes c where c.sent_at < p_now - interval '1 day' limit p_max));
  get diagnostics v_codes = row_count;
  delete from redrives where ctid = any (array(
    select r.ctid from redrives r where r.created_at < p_now - interval '90 days' limit p_max));
  get diagnostics v_redrives = row_count;
  delete from reputation_hours where ctid = any (array(
    select h.ctid from reputation_hours h where h.hour < p_now - interval '2 days' limit p_max));
  get diagnostics v_hours = row_count;
  return greatest(v_keys, v_reports, v_minutes, v_suppressions, v_codes, v_redrives, v_hours);
end
$$;

-- Before two ids of a tenant are merged (decision 0045): hours are added, and of two open periods the stricter one stays open.
create function prepare_merge_of_reputation(p_from uuid, p_to uuid)
returns void
language sql
set search_path = public, pg_temp
as $$
  update reputation_hours d
     set sent = d.sent + f.sent, bounced = d.bounced + f.bounced, complained = d.complained + f.complained
    from reputation_hours f
   where d.tenant_id = p_to and f.tenant_id = p_from and (f.hour, f.slot) = (d.hour, d.slot);
  delete from reputation_hours f using reputation_hours d
   where d.tenant_id = p_to and f.tenant_id = p_from and (f.hour, f.slot) = (d.hour, d.slot);
  update reputation_periods o set ended_at = greatest(o.began_at, other.began_at)
    from reputation_periods other
   where o.ended_at is null and other.ended_at is null
     and ((o.tenant_id, other.tenant_id) = (p_from, p_to) and not (o.state = 'paused' and other.state = 'warned')
       or (o.tenant_id, other.tenant_id) = (p_to, p_from) and o.state = 'warned' and other.state = 'paused');
$$;
revoke execute on function prepare_merge_of_reputation(uuid, uuid) from public;

-- Takes over the rows of an id of the tenant that is merged into another (decision 0045): e-mails of
-- a day and credit are added, buckets and lanes are joined.
create or replace function prepare_merge(p_from uuid, p_to uuid)
returns void
language sql
set search_path = public, pg_temp
as $$
  select prepare_merge_of_people(p_from, p_to);
  select prepare_merge_of_triggers(p_from, p_to);
  update redrives f set request_key = null from redrives d
   where d.tenant_id = p_to and f.tenant_id = p_from
     and (d.caller_kind, d.caller_id, d.request_key) = (f.caller_kind, f.caller_id, f.request_key);
  delete from idempotency_keys f using idempotency_keys d
   where d.tenant_id = p_to and f.tenant_id = p_from and (d.caller, d.key_hash) = (f.caller, f.key_hash);
  select prepare_merge_of_reputation(p_from, p_to);
  update send_days d set used = d.used + f.used, reported = d.reported + f.reported from send_days f
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
  delete from credit_balances f using credit_balances d where d.tenant_id = p_to and f.tenant_id = p_from;
$$;
