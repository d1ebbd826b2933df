-- breaking: no
-- Preferences and quiet hours of people count when a message is accepted; quiet hours also when it is claimed.

-- The end of the quiet hours at a time; null outside of them. Hours that end before they begin last over midnight.
create function end_of_quiet_hours(p_at timestamptz, p_zone text, p_from time, p_until time)
returns timestamptz
language sql stable
set search_path = public, pg_temp
as $$
  select case when l.is_quiet and l.ends_at > p_at then l.ends_at end
    from (select (case when p_from < p_until then z.at::time >= p_from and z.at::time < p_until
                       else z.at::time >= p_from or z.at::time < p_until end) as is_quiet,
                 (z.at::date + case when z.at::time < p_until then 0 else 1 end + p_until) at time zone p_zone as ends_at
            from (select p_at at time zone p_zone as at) z
           where p_from is not null) l
$$;
revoke execute on function end_of_quiet_hours(timestamptz, text, time, time) from public;
grant execute on function end_of_quiet_hours(timestamptz, text, time, time) to lango_app;

grant select on contact_points to lango_lookup;
create policy contact_points__lookup on contact_points for select to lango_lookup using (true);

-- The people whose deliveries these are, by user or by verified address: whether they want the category on the channel (their own
-- choice, else the tenant's, else the platform's), and their quiet hours. Deliveries to other addresses are left out.
create function people_of_deliveries(p_tenant uuid, p_channel text, p_category text, p_deliveries jsonb)
returns table (id text, user_id uuid, is_on boolean, time_zone text, quiet_from time, quiet_until time)
language plpgsql stable security definer
set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan
as $$
begin
  return query
  with one as materialized (
    select d->>'id' as id, (d->>'user_id')::uuid as user_id,
           array(select decode(k, 'hex') from jsonb_array_elements_text(d->'keys') k) as keys
      from jsonb_array_elements(p_deliveries) d
  ), person as (
    select one.id, r.id as user_id, r.time_zone, r.quiet_from, r.quiet_until
      from one join recipients r on r.tenant_id = p_tenant and r.id = coalesce(one.user_id, case when p_channel = 'email' then (
             select e.id from recipients e
              where e.tenant_id = p_tenant and e.email_address_key = any (one.keys) and e.email_verified order by e.id limit 1)
           end, (
             select c.user_id from contact_points c
              where c.tenant_id = p_tenant and c.channel = p_channel and c.address_key = any (one.keys)
                and (c.verified_at is not null or p_channel = 'push') order by c.user_id limit 1))
  )
  select person.id, person.user_id, coalesce((
           select p.is_on from preferences p
            where p.category = p_category and p.channel = p_channel and (p.tenant_id = p_tenant or p.tenant_id is null)
              and (p.user_id = person.user_id or p.user_id is null)
            order by p.user_id is null, p.tenant_id is null limit 1), true),
         coalesce(person.time_zone, t.time_zone), person.quiet_from, person.quiet_until
    from person join tenants t on t.id = p_tenant;
end
$$;
alter function people_of_deliveries(uuid, text, text, jsonb) owner to lango_lookup;
revoke execute on function people_of_deliveries(uuid, text, text, jsonb) from public;
grant execute on function people_of_deliveries(uuid, text, text, jsonb) to lango_app;

-- Replaces the platform's defaults of preferences. Called for the platform owner.
create function set_platform_preferences(p_choices jsonb, p_now timestamptz)
returns void
language sql security definer
set search_path = public, pg_temp
as $$
  delete from preferences p
   where p.tenant_id is null and p.user_id is null
     and not exists (select from jsonb_to_recordset(p_choices) as c (category text, channel text)
                      where (c.category, c.channel) = (p.category, p.channel));
  insert into preferences (tenant_id, user_id, category, channel, is_on, updated_at)
  select null, null, c.category, c.channel, c.is_on, p_now
    from jsonb_to_recordset(p_choices) as c (category text, channel text, is_on boolean)
  on conflict on constraint preferences__place_unique do update set is_on = excluded.is_on, updated_at = excluded.updated_at;
$$;
alter function set_platform_preferences(jsonb, timestamptz) owner to lango_lookup;
revoke execute on function set_platform_preferences(jsonb, timestamptz) from public;
grant execute on function set_platform_preferences(jsonb, timestamptz) to lango_app;

-- As before, and people are found by their verified addresses, too.
create or replace function record_message(p_message jsonb, p_deliveries jsonb, p_rules jsonb, p_now timestamptz)
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
  v_people jsonb;
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
  if not v_is_critical then
    select jsonb_object_agg(p.id, to_jsonb(p)) into v_people
      from people_of_deliveries((p_rules->>'people_of')::uuid, v_channel, p_message->>'category', p_deliveries) p;
  end if;
  select jsonb_agg(d.row || jsonb_build_object('status', case
           when d.row ? 'skip' then d.row->>'skip'
           when v_suppressed ?| array(select jsonb_array_elements_text(d.row->'keys')) then 'suppressed'
           when not (p.one->>'is_on')::boolean then 'skipped_preference'
           else 'queued' end, 'user_id', coalesce(d.row->>'user_id', p.one->>'user_id'), 'due_at', coalesce(
             case when v_channel in ('push', 'sms', 'whatsapp') and v_class <> 'urgent' then end_of_quiet_hours(v_send_at,
               p.one->>'time_zone', (p.one->>'quiet_from')::time, (p.one->>'quiet_until')::time) end, v_send_at))
             order by (d.row->>'position')::integer)
    into v_rows
    from jsonb_array_elements(p_deliveries) as d (row), lateral (select v_people->(d.row->>'id') as one) p;
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
         r->>'status', (r->>'due_at')::timestamptz, (p_message->>'expires_at')::timestamptz
           + case when (p_rules->>'may_expire_later')::boolean then (r->>'due_at')::timestamptz - v_send_at else interval '0' end,
         (r->>'segments')::integer, p_now, case when r->>'status' <> 'queued' then p_now end
    from jsonb_array_elements(v_rows) r;
  insert into delivery_events (tenant_id, delivery_id, at, kind, detail)
  select v_tenant, (r->>'id')::uuid, p_now, 'decision', '{"decision": "quiet_hours"}'
    from jsonb_array_elements(v_rows) r where r->>'status' = 'queued' and (r->>'due_at')::timestamptz > v_send_at;

  return query
    select v_id, false, v_queued, (
      select jsonb_object_agg(c.status, c.n)
        from (select r->>'status' as status, count(*) as n from jsonb_array_elements(v_rows) r group by 1) c);
end
$$;

-- Claims due deliveries of a lane. Each is leased, and returned with a verdict: send, expired or suppressed. Those in quiet hours of
-- their person are moved to the end. The lane is locked first, so that a message that is accepted meanwhile is seen, or sets the lane
-- due itself. Call it inside the tenant.
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
  return query
  with due as materialized (
    select d.id, d.address_key, d.expires_at, d.due_at, d.user_id, m.category
      from message_deliveries d join messages m on m.tenant_id = d.tenant_id and m.id = d.message_id
     where d.tenant_id = p_tenant and d.channel = v_channel and d.class = v_class and d.status = 'queued' and d.due_at <= p_now
     order by d.due_at limit p_max for update of d skip locked
  ), hits as (
    select distinct due.id from due
      join list_suppressed(p_tenant, v_channel, (select array_agg(due.address_key) from due), p_now) s
        on s.address_key = due.address_key and (s.category is null or s.category = due.category)
     where not (p_lane->'critical') ? due.category or s.reason in ('bounce', 'invalid')
  ), quiet as materialized (
    select due.id, end_of_quiet_hours(p_now, coalesce(r.time_zone, t.time_zone), r.quiet_from, r.quiet_until) as ends_at
      from due join recipients r on r.tenant_id = p_tenant and r.id = due.user_id join tenants t on t.id = p_tenant
     where v_channel in ('push', 'sms', 'whatsapp') and v_class <> 'urgent' and r.quiet_from is not null
       and due.expires_at > p_now and not (p_lane->'critical') ? due.category
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

-- As before, and rows of one address or channel are kept once.
create or replace function prepare_merge_of_people(p_from uuid, p_to uuid)
returns void
language sql
set search_path = public, pg_temp
as $$
  delete from tenant_branding f using tenant_branding d where d.tenant_id = p_to and f.tenant_id = p_from;
  delete from contact_points f using contact_points d
   where d.tenant_id = p_to and f.tenant_id = p_from
     and (d.user_id, d.channel, d.address_key) = (f.user_id, f.channel, f.address_key);
  update contact_points c set tenant_id = p_to
   where c.tenant_id = p_from and exists (select from recipients d where d.tenant_id = p_to and d.id = c.user_id);
  update inbox_items i set tenant_id = p_to
   where i.tenant_id = p_from and exists (select from recipients d where d.tenant_id = p_to and d.id = i.user_id);
  delete from recipients f using recipients d where d.tenant_id = p_to and f.tenant_id = p_from and d.id = f.id;
  delete from preferences f using preferences d
   where d.tenant_id = p_to and f.tenant_id = p_from
     and (d.user_id, d.category, d.channel) is not distinct from (f.user_id, f.category, f.channel);
  delete from suppressions f using suppressions d
   where d.tenant_id = p_to and f.tenant_id = p_from
     and (d.channel, d.address_key, d.category) is not distinct from (f.channel, f.address_key, f.category);
  delete from limits f using limits d where d.tenant_id = p_to and f.tenant_id = p_from and d.channel = f.channel;
$$;
