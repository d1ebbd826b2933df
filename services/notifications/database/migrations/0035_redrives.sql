-- breaking: no
create table redrives (
  tenant_id uuid not null constraint redrives__tenant_fkey references tenants (id) on update cascade,
  id uuid not null default gen_random_uuid(),
  filter jsonb not null,
  outlets uuid[],
  may_duplicate boolean not null,
  caller_kind text not null,
  caller_id text not null,
  is_unlimited boolean not null,
  request_key text,
  status text not null constraint redrives__status_check check (status in ('running', 'finished', 'stopped')),
  reason text,
  matched integer not null constraint redrives__matched_check check (matched between 0 and 10000),
  left_out integer not null constraint redrives__left_out_check check (left_out >= 0),
  counts jsonb not null default '{}',
  ended_after timestamptz not null default '-infinity',
  ended_after_id uuid not null default '00000000-0000-0000-0000-000000000000',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  finished_at timestamptz,
  constraint redrives__pkey primary key (tenant_id, id),
  constraint redrives__request_unique unique (tenant_id, caller_kind, caller_id, request_key)
);
create index redrives__running on redrives (id) where status = 'running';
create index redrives__old on redrives (created_at);
comment on table redrives is 'Requests to send every delivery of a filter again, and how far they are. A job works on them in small batches.';
comment on column redrives.outlets is 'The outlets of the caller; null: all. A null in the list: messages without an outlet, too.';
comment on column redrives.matched is 'Deliveries of the filter when it was requested; those that end later are not part of it.';
comment on column redrives.left_out is 'Deliveries of the filter whose outcome is unknown, because the request did not have may_duplicate.';
comment on column redrives.counts is 'How many were accepted as new messages, and how many were refused, by the code of the refusal.';
comment on column redrives.ended_after is 'Deliveries that ended up to here, and of that time up to ended_after_id, are worked on.';
grant select, insert, update on redrives to lango_app;
grant select on redrives to lango_platform;
grant select, delete on redrives to lango_lookup;
alter table redrives enable row level security;
alter table redrives force row level security;
create policy redrives__tenant on redrives using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy redrives__platform on redrives for select to lango_platform using (true);
create policy redrives__lookup on redrives to lango_lookup using (true);

-- The redrives of every tenant on which no job has worked since a time, in the order of their ids.
create function list_overdue_redrives(p_before timestamptz, p_after uuid, p_max integer)
returns table (tenant_id uuid, id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select r.tenant_id, r.id from redrives r
   where r.status = 'running' and r.updated_at < p_before and (p_after is null or r.id > p_after) order by r.id limit p_max
$$;
alter function list_overdue_redrives(timestamptz, uuid, integer) owner to lango_lookup;
revoke execute on function list_overdue_redrives(timestamptz, uuid, integer) from public;
grant execute on function list_overdue_redrives(timestamptz, uuid, integer) to lango_app;

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
  return greatest(v_keys, v_reports, v_minutes, v_suppressions, v_codes, v_redrives);
end
$$;

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
