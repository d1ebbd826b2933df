-- breaking: no
-- Tests of drafts: messages whose draft is in their data.

alter table messages
  alter column template_version_id drop not null,
  add constraint messages__version_check check ((template_version_id is null) = (source = 'test'));
comment on column messages.template_version_id is 'Null for a test: its draft is in data.';

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
