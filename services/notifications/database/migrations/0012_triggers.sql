-- breaking: no
-- Triggers: the rules by which events become messages, what became of each event, and which messages were made.

create table triggers (
  id uuid not null default gen_random_uuid() constraint triggers__pkey primary key,
  tenant_id uuid constraint triggers__tenant_fkey references tenants (id) on update cascade,
  name text not null constraint triggers__name_check check (length(name) between 1 and 120),
  event_type text not null,
  template text not null,
  channels text[] not null
    constraint triggers__channels_check check (channels <@ '{email,sms,push,whatsapp,in_app}' and cardinality(channels) between 1 and 5),
  mode text not null constraint triggers__mode_check check (mode in ('all', 'first')),
  sender text not null constraint triggers__sender_check
    check (sender = 'tenant' or sender = 'platform' and tenant_id is null and mode = 'all'),
  recipients text[] not null constraint triggers__recipients_check check (cardinality(recipients) between 1 and 100),
  conditions jsonb not null,
  map jsonb not null,
  delay_seconds integer not null constraint triggers__delay_check check (delay_seconds between 0 and 2592000),
  is_enabled boolean not null,
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint triggers__name_unique unique nulls not distinct (tenant_id, name)
);
create index triggers__event on triggers (event_type, tenant_id) where is_enabled;
comment on table triggers is 'Rules by which events become messages.';
comment on column triggers.tenant_id is 'Null: a rule of the platform, for the events of every tenant.';
comment on column triggers.sender is 'platform: its e-mails are messages of the platform, about the tenant of the event.';

create table trigger_switches (
  tenant_id uuid not null constraint trigger_switches__tenant_fkey references tenants (id) on update cascade,
  trigger_id uuid not null constraint trigger_switches__trigger_fkey references triggers (id) on delete cascade,
  set_by text not null,
  set_at timestamptz not null,
  constraint trigger_switches__pkey primary key (tenant_id, trigger_id)
);
create index trigger_switches__trigger on trigger_switches (trigger_id);
comment on table trigger_switches is 'Rules of the platform that a tenant has switched off.';

create table trigger_runs (
  tenant_id uuid not null constraint trigger_runs__tenant_fkey references tenants (id) on update cascade,
  id uuid not null default gen_random_uuid(),
  trigger_id uuid not null constraint trigger_runs__trigger_fkey references triggers (id) on delete cascade,
  event_id uuid not null,
  event_type text not null,
  event_key_id text,
  event bytea,
  status text not null constraint trigger_runs__status_check check (status in ('waiting', 'sent', 'skipped', 'failed')),
  notes jsonb not null default '[]',
  messages integer not null default 0,
  due_at timestamptz not null,
  created_at timestamptz not null,
  finished_at timestamptz,
  constraint trigger_runs__pkey primary key (tenant_id, id),
  constraint trigger_runs__event_unique unique (tenant_id, event_id, trigger_id)
);
create index trigger_runs__trigger on trigger_runs (trigger_id, created_at desc);
create index trigger_runs__waiting on trigger_runs (due_at) where status = 'waiting';
create index trigger_runs__old on trigger_runs (created_at);
comment on table trigger_runs is 'What became of an event by a trigger, in the tenant of the event.';
comment on column trigger_runs.event is 'The event, encrypted; null once the run is final.';
comment on column trigger_runs.notes is 'Why there is no message for a channel, without personal data.';

create table trigger_messages (
  tenant_id uuid not null constraint trigger_messages__tenant_fkey references tenants (id) on update cascade,
  run_id uuid not null,
  channel text not null,
  recipient text not null,
  message_id uuid not null,
  created_at timestamptz not null,
  constraint trigger_messages__pkey primary key (tenant_id, run_id, channel, recipient)
);
create index trigger_messages__old on trigger_messages (created_at);
comment on table trigger_messages is 'The messages of a run, in the tenant of the message: one for each channel and recipient, however often the run is tried.';
comment on column trigger_messages.recipient is 'The user''s id, or what the recipient is in the event; never an address.';

alter table triggers enable row level security;
alter table triggers force row level security;
create policy triggers__tenant on triggers using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy triggers__default on triggers for select
  using (tenant_id is null or tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy triggers__lookup on triggers to lango_lookup using (true);
create policy triggers__platform on triggers for select to lango_platform using (true);

alter table trigger_switches enable row level security;
alter table trigger_switches force row level security;
create policy trigger_switches__tenant on trigger_switches using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy trigger_switches__platform on trigger_switches for select to lango_platform using (true);

alter table trigger_runs enable row level security;
alter table trigger_runs force row level security;
create policy trigger_runs__tenant on trigger_runs using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy trigger_runs__lookup on trigger_runs to lango_lookup using (true);
create policy trigger_runs__platform on trigger_runs for select to lango_platform using (true);

alter table trigger_messages enable row level security;
alter table trigger_messages force row level security;
create policy trigger_messages__tenant on trigger_messages using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy trigger_messages__lookup on trigger_messages to lango_lookup using (true);
create policy trigger_messages__platform on trigger_messages for select to lango_platform using (true);

grant select, insert, update, delete on triggers, trigger_switches, trigger_runs, trigger_messages to lango_app;
grant select on triggers, trigger_switches, trigger_runs, trigger_messages to lango_platform;
grant select, insert, update on triggers to lango_lookup;
grant select, update, delete on trigger_runs, trigger_messages to lango_lookup;

-- Writes the rules of the platform, and switches those off that no longer exist.
create function seed_platform_triggers(p_triggers jsonb, p_now timestamptz)
returns void
language sql security definer
set search_path = public, pg_temp
as $$
  insert into triggers as t (tenant_id, name, event_type, template, channels, mode, sender, recipients, conditions, map,
    delay_seconds, is_enabled, created_by, created_at, updated_at)
  select null, r.name, r.event_type, r.template, r.channels, 'all', r.sender, r.recipients, r.conditions, r.map, 0, true,
         'platform', p_now, p_now
    from jsonb_to_recordset(p_triggers) as r (name text, event_type text, template text, channels text[], sender text,
      recipients text[], conditions jsonb, map jsonb)
   order by r.name
  on conflict on constraint triggers__name_unique do update
     set event_type = excluded.event_type, template = excluded.template, channels = excluded.channels, sender = excluded.sender,
         recipients = excluded.recipients, conditions = excluded.conditions, map = excluded.map, is_enabled = true,
         updated_at = excluded.updated_at
   where (t.event_type, t.template, t.channels, t.sender, t.recipients, t.conditions, t.map, t.is_enabled) is distinct from
         (excluded.event_type, excluded.template, excluded.channels, excluded.sender, excluded.recipients, excluded.conditions,
          excluded.map, true);
  update triggers t set is_enabled = false, updated_at = p_now
   where t.tenant_id is null and t.is_enabled
     and not exists (select from jsonb_to_recordset(p_triggers) as r (name text) where r.name = t.name);
$$;
alter function seed_platform_triggers(jsonb, timestamptz) owner to lango_lookup;
revoke execute on function seed_platform_triggers(jsonb, timestamptz) from public;
grant execute on function seed_platform_triggers(jsonb, timestamptz) to lango_app;

-- The runs that should have ended, of every tenant, in the order of their ids.
create function list_overdue_runs(p_before timestamptz, p_after uuid, p_max integer)
returns table (tenant_id uuid, id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select r.tenant_id, r.id from trigger_runs r
   where r.status = 'waiting' and r.due_at < p_before and (p_after is null or r.id > p_after) order by r.id limit p_max
$$;
alter function list_overdue_runs(timestamptz, uuid, integer) owner to lango_lookup;
revoke execute on function list_overdue_runs(timestamptz, uuid, integer) from public;
grant execute on function list_overdue_runs(timestamptz, uuid, integer) to lango_app;

-- Ends runs that wait since p_waiting_since, and removes runs and their messages from before p_before; at most p_max of each.
-- Returns how many rows it changed.
create function purge_trigger_runs(p_waiting_since timestamptz, p_before timestamptz, p_max integer, p_now timestamptz)
returns integer
language sql security definer
set search_path = public, pg_temp
as $$
  with ended as (
    update trigger_runs r
       set status = 'failed', event = null, event_key_id = null, finished_at = p_now, notes = '[{"reason": "too_late"}]'
     where (r.tenant_id, r.id) in (
       select w.tenant_id, w.id from trigger_runs w where w.status = 'waiting' and w.due_at < p_waiting_since limit p_max)
    returning 1
  ), removed_runs as (
    delete from trigger_runs r
     where r.status <> 'waiting' and (r.tenant_id, r.id) in (
       select o.tenant_id, o.id from trigger_runs o where o.created_at < p_before limit p_max)
    returning 1
  ), removed_messages as (
    delete from trigger_messages m
     where (m.tenant_id, m.run_id, m.channel, m.recipient) in (
       select o.tenant_id, o.run_id, o.channel, o.recipient from trigger_messages o where o.created_at < p_before limit p_max)
    returning 1
  )
  select ((select count(*) from ended) + (select count(*) from removed_runs) + (select count(*) from removed_messages))::integer
$$;
alter function purge_trigger_runs(timestamptz, timestamptz, integer, timestamptz) owner to lango_lookup;
revoke execute on function purge_trigger_runs(timestamptz, timestamptz, integer, timestamptz) from public;
grant execute on function purge_trigger_runs(timestamptz, timestamptz, integer, timestamptz) to lango_app;

-- Before two ids of a tenant are merged (decision 0045): rows that exist under both ids are kept once.
create function prepare_merge_of_triggers(p_from uuid, p_to uuid)
returns void
language sql
set search_path = public, pg_temp
as $$
  delete from trigger_switches f using trigger_switches d
   where d.tenant_id = p_to and f.tenant_id = p_from and d.trigger_id = f.trigger_id;
  delete from trigger_runs f using trigger_runs d
   where d.tenant_id = p_to and f.tenant_id = p_from and (d.event_id, d.trigger_id) = (f.event_id, f.trigger_id);
  delete from triggers f using triggers d where d.tenant_id = p_to and f.tenant_id = p_from and d.name = f.name;
$$;
revoke execute on function prepare_merge_of_triggers(uuid, uuid) from public;

-- Takes over the rows of an id of the tenant that is merged into another (decision 0045): e-mails of
-- a day and credit are added, buckets and lanes are joined.
create or replace function prepare_merge(p_from uuid, p_to uuid)
returns void
language sql
set search_path = public, pg_temp
as $$
  select prepare_merge_of_people(p_from, p_to);
  select prepare_merge_of_triggers(p_from, p_to);
  update send_days d set used = d.used + f.used from send_days f
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
