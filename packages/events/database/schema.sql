-- What a service has to tell, written in the transaction of the state it tells of. No tenant_id and no row-level
-- security: the relay reads it across tenants, and nobody outside this package reads it at all.
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
grant select, delete, insert (id, type, subject, envelope, recorded_at), update (published_at, attempts, next_attempt_at)
  on outbox to lango_app;
comment on table outbox is 'Events of this service, published in the order of their position. Infrastructure without a tenant_id: the relay reads it across tenants.';
comment on column outbox.position is 'Of two events with the same subject the one committed first has the lower position; between subjects it says nothing.';
comment on column outbox.subject is 'The entity the event is about; events of one subject are published one after the other.';
comment on column outbox.envelope is 'The event as it goes out: CloudEvents 1.0 in JSON.';
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
