-- breaking: no
-- The events that a service publishes, written in the transaction of their state. No tenant_id and no row-level
-- security: the relay reads it across tenants, and no code outside this package reads it at all.
create table outbox (
  position bigint generated always as identity,
  id uuid not null,
  type text not null,
  subject text not null,
  envelope jsonb not null,
  recorded_at timestamptz not null,
  published_at timestamptz,
  attempts integer not null default 0,
  next_attempt_at timestamptz,
  constraint outbox__pkey primary key (position),
  constraint outbox__id_unique unique (id)
);
create index outbox__unpublished on outbox (position) where published_at is null;
create index outbox__held on outbox (subject) where published_at is null and next_attempt_at is not null;
create index outbox__published on outbox (published_at) where published_at is not null;
create index outbox__of_people on outbox (position) where envelope->'data' ?| array['email', 'name'];
grant select, delete, insert (id, type, subject, envelope, recorded_at), update (published_at, attempts, next_attempt_at)
  on outbox to lango_app;
comment on table outbox is 'Events of this service, published in the order of their position. Infrastructure without a tenant_id: the relay reads it across tenants.';
comment on column outbox.position is 'Of two events with the same subject the one committed first has the lower position; between subjects it says nothing.';
comment on column outbox.subject is 'The entity the event is about; events of one subject are published one after the other.';
comment on column outbox.envelope is 'The event as it goes out: CloudEvents 1.0 in JSON. Sensitive members are empty, and encrypted in the member sealed.';
comment on column outbox.published_at is 'When the transport took it. Such rows are removed after seven days.';
comment on column outbox.attempts is 'How often publishing it failed.';
comment on column outbox.next_attempt_at is 'Until then the event, and every later one of its subject, waits after a failure.';

-- What was delivered to this service, so that what comes twice has its effect once.
create table inbox (
  event_id uuid not null,
  consumer text not null,
  applied_at timestamptz not null,
  seen_at timestamptz not null,
  deliveries integer not null default 1,
  constraint inbox__pkey primary key (event_id, consumer)
);
create index inbox__seen on inbox (seen_at);
grant select, insert, delete, update (seen_at, deliveries) on inbox to lango_app;
comment on table inbox is 'Events whose effect is in this database, written in the transaction of the effect. Infrastructure without a tenant_id: an event is known by its id alone.';
comment on column inbox.seen_at is 'The last delivery. Rows are removed 30 days after it, when no transport delivers the event again.';
comment on column inbox.deliveries is 'How often it came; only the first had an effect.';

create table deliveries (
  position bigint generated always as identity,
  consumer text not null,
  event_id uuid,
  type text not null,
  subject text,
  body bytea not null,
  received_at timestamptz not null,
  attempts integer not null default 0,
  is_held boolean not null default false,
  next_attempt_at timestamptz,
  reason text,
  dead_at timestamptz,
  constraint deliveries__pkey primary key (position),
  constraint deliveries__event_unique unique (consumer, event_id)
);
create index deliveries__fresh on deliveries (consumer, position) where not is_held;
create index deliveries__order on deliveries (consumer, subject, position);
create index deliveries__due on deliveries (consumer, next_attempt_at) where next_attempt_at is not null;
create index deliveries__dead on deliveries (consumer, position) where dead_at is not null;
grant select, delete, insert (consumer, event_id, type, subject, body, received_at, is_held, reason, dead_at),
  update (subject, attempts, is_held, next_attempt_at, reason, dead_at) on deliveries to lango_app;
comment on table deliveries is 'Events that came and have not had their effect yet: applied in the order of their position, one after the other for each subject. Infrastructure without a tenant_id, as the inbox.';
comment on column deliveries.event_id is 'Null if the message is not an event.';
comment on column deliveries.subject is 'The entity whose events keep their order here; null for a dead letter that holds no other back.';
comment on column deliveries.body is 'The message, byte by byte; if it is not an event, its beginning. Sensitive members are empty, and encrypted in the member sealed.';
comment on column deliveries.is_held is 'Whether it waits: after a failure of its own, or behind one of its subject.';
comment on column deliveries.next_attempt_at is 'When it is tried again after a failure of its own.';
comment on column deliveries.dead_at is 'Since when it is a dead letter: not tried until an operator says so.';

create table readings (
  consumer text not null,
  stream text not null,
  types text[] not null,
  sequence bigint not null default 0,
  stream_made_at timestamptz,
  replay_from timestamptz,
  holder uuid,
  held_until timestamptz,
  constraint readings__pkey primary key (consumer, stream)
);
grant select, insert (consumer, stream, types, replay_from), update (types, sequence, stream_made_at, replay_from, holder, held_until)
  on readings to lango_app;
comment on table readings is 'How far a consumer has read each stream. Infrastructure without a tenant_id.';
comment on column readings.types is 'The types of events it asked for so far; with a new one it reads from the beginning.';
comment on column readings.sequence is 'The last message of the stream whose event is in deliveries, or was of no interest.';
comment on column readings.stream_made_at is 'When the stream was made; another time is another stream, whose sequence begins again.';
comment on column readings.replay_from is 'Read again what came since then; null if no replay was requested.';
comment on column readings.holder is 'Which process reads, until held_until: one at a time, so that the order holds.';

create table applied_versions (
  consumer text not null,
  family text not null,
  subject text not null,
  tenant text not null,
  version bigint not null,
  applied_at timestamptz not null,
  constraint applied_versions__pkey primary key (consumer, family, subject, tenant)
);
create index applied_versions__applied on applied_versions (applied_at);
grant select, insert, delete, update (version, applied_at) on applied_versions to lango_app;
comment on table applied_versions is 'The newest version of each entity that a consumer has applied: an older one is ignored. Infrastructure without a tenant_id.';
comment on column applied_versions.family is 'The type without its last word: auth.user of auth.user.updated.';
comment on column applied_versions.tenant is 'The tenant the event belongs to; empty when it belongs to none.';
comment on column applied_versions.applied_at is 'Rows are removed 30 days after it, when no transport delivers an older one any more.';

alter table outbox drop constraint outbox__id_unique;
alter table outbox drop constraint outbox__pkey;
create index outbox__published_position on outbox (position) where published_at is not null;
alter table outbox alter column id drop not null, alter column recorded_at drop not null;
alter table outbox alter column position set generated by default;
grant insert (position) on outbox to lango_app;
grant usage on sequence outbox_position_seq to lango_app;
comment on column outbox.id is 'No longer written: it is in the envelope.';
comment on column outbox.recorded_at is 'No longer written: it is in the envelope.';

create function without_person(event jsonb) returns jsonb
language sql immutable parallel safe set search_path = pg_catalog
return case when jsonb_typeof(event->'data') = 'object' then
  event || jsonb_build_object('data', (event->'data')
    || case when event->'data' ? 'email' then '{"email": "erased@erased.invalid"}'::jsonb else '{}' end
    || case when event->'data' ? 'name' then '{"name": ""}'::jsonb else '{}' end)
  else event end;
comment on function without_person is 'An event whose data no longer says how to reach a person or what they are called, and still fits its contract.';

create function erase_person_from_events(person text) returns void
language plpgsql security definer set search_path = pg_catalog, public as $$
declare
  kept record;
begin
  update outbox set envelope = without_person(envelope)
   where envelope->'data' ?| array['email', 'name']
     and (subject = person or envelope->'data'->>'user_id' = person
       or envelope->'data'->>'email' in (
         select o.envelope->'data'->>'email' from outbox o
          where o.envelope->'data' ?| array['email', 'name']
            and (o.subject = person or o.envelope->'data'->>'user_id' = person)));
  for kept in
    select d.position, d.body from deliveries d where position(convert_to(person, 'UTF8') in d.body) > 0 for update
  loop
    begin
      update deliveries d
         set body = convert_to(without_person(convert_from(kept.body, 'UTF8')::jsonb)::text, 'UTF8')
       where d.position = kept.position;
    exception when data_exception then
      -- It is not an event, so its content is unknown.
      update deliveries d set body = convert_to('erased', 'UTF8') where d.position = kept.position;
    end;
  end loop;
end $$;
revoke execute on function erase_person_from_events(text) from public;
grant execute on function erase_person_from_events(text) to lango_app;
comment on function erase_person_from_events is 'Takes what is personal out of all events about a person that are kept here. The service may change no event otherwise.';

comment on column deliveries.event_id is 'If the message is not an event: an id made of its position in the stream, so that it is stored once; null in rows of older releases.';
