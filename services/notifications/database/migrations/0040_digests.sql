-- breaking: no
alter table triggers add column digest jsonb constraint triggers__digest_check check (digest is null or tenant_id is not null);
comment on column triggers.digest is 'How its messages are collected, as the routes show it; null: each is sent.';

create table digest_windows (
  tenant_id uuid not null constraint digest_windows__tenant_fkey references tenants (id) on update cascade,
  id uuid not null default gen_random_uuid(),
  trigger_id uuid constraint digest_windows__trigger_fkey references triggers (id) on delete set null,
  channel text not null constraint digest_windows__channel_check check (channel in ('email', 'in_app')),
  user_id uuid not null,
  key text not null constraint digest_windows__key_check check (length(key) <= 200),
  status text not null constraint digest_windows__status_check check (status in ('open', 'closing', 'closed')),
  items integer not null constraint digest_windows__items_check check (items between 1 and items_max),
  items_max integer not null constraint digest_windows__items_max_check check (items_max between 2 and 50),
  opened_at timestamptz not null,
  due_at timestamptz not null,
  closed_at timestamptz,
  message_id uuid,
  reason text,
  constraint digest_windows__pkey primary key (tenant_id, id),
  constraint digest_windows__user_fkey foreign key (tenant_id, user_id) references recipients (tenant_id, id)
    on update cascade on delete cascade
);
create unique index digest_windows__open on digest_windows (tenant_id, trigger_id, channel, user_id, key) where status = 'open';
create index digest_windows__due on digest_windows (due_at) where status <> 'closed';
create index digest_windows__old on digest_windows (closed_at) where status = 'closed';
create index digest_windows__user on digest_windows (tenant_id, user_id);
create index digest_windows__trigger on digest_windows (trigger_id);
comment on table digest_windows is 'Digests: messages of a rule to a person on a channel, collected until a time. One is open for each; a closing one takes no more.';
comment on column digest_windows.trigger_id is 'Null: the rule was removed. What was collected is still sent.';
comment on column digest_windows.key is 'The value at the path of the rule: messages with different values are in different digests.';
comment on column digest_windows.message_id is 'The message that was sent; null with a reason if there is none.';

create table digest_items (
  tenant_id uuid not null constraint digest_items__tenant_fkey references tenants (id) on update cascade,
  message_id uuid not null,
  window_id uuid not null,
  item_key_id text,
  item bytea,
  added_at timestamptz not null,
  constraint digest_items__pkey primary key (tenant_id, message_id),
  constraint digest_items__window_fkey foreign key (tenant_id, window_id) references digest_windows (tenant_id, id)
    on update cascade on delete cascade
);
create index digest_items__window on digest_items (tenant_id, window_id);
comment on table digest_items is 'The messages of a digest. Each is in exactly one.';
comment on column digest_items.item is 'Title and beginning of the message, encrypted; null once the digest has ended.';

grant select, insert, update, delete on digest_windows, digest_items to lango_app;
grant select on digest_windows, digest_items to lango_platform;
grant select, update, delete on digest_windows to lango_lookup;
grant select, delete on digest_items to lango_lookup;
alter table digest_windows enable row level security;
alter table digest_windows force row level security;
create policy digest_windows__tenant on digest_windows using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy digest_windows__platform on digest_windows for select to lango_platform using (true);
create policy digest_windows__lookup on digest_windows to lango_lookup using (true);
alter table digest_items enable row level security;
alter table digest_items force row level security;
create policy digest_items__tenant on digest_items using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy digest_items__platform on digest_items for select to lango_platform using (true);
create policy digest_items__lookup on digest_items to lango_lookup using (true);

-- The first moment after p_after at which clocks in a time zone show a time, on a weekday (1 is Monday) or on any.
create function next_local_time(p_after timestamptz, p_zone text, p_time time, p_weekday integer)
returns timestamptz
language sql stable
set search_path = public, pg_temp
as $$
  select min(m.moment)
    from generate_series(0, 8) d, lateral (select (p_after at time zone p_zone)::date + d as day) l,
         lateral (select (l.day + p_time) at time zone p_zone as moment) m
   where m.moment > p_after and (p_weekday is null or extract(isodow from l.day) = p_weekday)
$$;
revoke execute on function next_local_time(timestamptz, text, time, integer) from public;
grant execute on function next_local_time(timestamptz, text, time, integer) to lango_app;

-- The digests of every tenant that should have ended, in the order of their ids.
create function list_overdue_digests(p_before timestamptz, p_after uuid, p_max integer)
returns table (tenant_id uuid, id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select w.tenant_id, w.id from digest_windows w
   where w.status <> 'closed' and w.due_at < p_before and (p_after is null or w.id > p_after) order by w.id limit p_max
$$;
alter function list_overdue_digests(timestamptz, uuid, integer) owner to lango_lookup;
revoke execute on function list_overdue_digests(timestamptz, uuid, integer) from public;
grant execute on function list_overdue_digests(timestamptz, uuid, integer) to lango_app;

-- Before two ids of a tenant are merged: of two open digests of the same messages one takes no more.
create function prepare_merge_of_digests(p_from uuid, p_to uuid)
returns void
language sql
set search_path = public, pg_temp
as $$
  update digest_windows f set status = 'closing' from digest_windows d
   where d.tenant_id = p_to and f.tenant_id = p_from and d.status = 'open' and f.status = 'open'
     and (d.trigger_id, d.channel, d.user_id, d.key) = (f.trigger_id, f.channel, f.user_id, f.key);
  update digest_windows w set tenant_id = p_to
   where w.tenant_id = p_from and exists (select from recipients d where d.tenant_id = p_to and d.id = w.user_id);
$$;
revoke execute on function prepare_merge_of_digests(uuid, uuid) from public;

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
           else coalesce(p_rules->>'instead', 'queued') end, 'user_id', coalesce(d.row->>'user_id', p.one->>'user_id'), 'due_at', coalesce(
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
  v_digests integer;
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
  delete from digest_windows where ctid = any (array(
    select w.ctid from digest_windows w where w.status = 'closed' and w.closed_at < p_now - interval '90 days' limit p_max));
  get diagnostics v_digests = row_count;
  return greatest(v_keys, v_reports, v_minutes, v_suppressions, v_codes, v_redrives, v_hours, v_digests);
end
$$;
