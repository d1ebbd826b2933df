-- breaking: no

-- The inbox: what gateways send, as it arrived

create table webhook_deliveries (
  id bigint generated always as identity constraint webhook_deliveries__pkey primary key,
  gateway text not null constraint webhook_deliveries__gateway_check check (gateway in ('mobile_money', 'card_gateway')),
  route text not null,
  profile_id uuid,
  token_hash text,
  object_key text not null,
  received_at timestamptz not null,
  remote_ip text not null,
  headers jsonb not null,
  raw bytea not null,
  trust text constraint webhook_deliveries__trust_check check (trust in ('signature', 'token', 'address', 'none')),
  delivery_key bytea not null,
  event_key text,
  status text not null constraint webhook_deliveries__status_check check (status in ('received', 'done', 'ignored', 'parked')),
  tries integer not null default 0,
  error text,
  duplicates integer not null default 0,
  ended_at timestamptz,
  constraint webhook_deliveries__delivery_key_unique unique (delivery_key)
);
create index webhook_deliveries__due on webhook_deliveries (object_key, id) where status = 'received';
create index webhook_deliveries__event on webhook_deliveries (event_key) where event_key is not null;
create index webhook_deliveries__object on webhook_deliveries (object_key, id);
create index webhook_deliveries__status on webhook_deliveries (status, id);
create index webhook_deliveries__old on webhook_deliveries (received_at) where status in ('done', 'ignored');
comment on table webhook_deliveries is 'Requests of gateways, stored before they are answered. They have no tenant: nothing in a payload names it. Not partitioned, since delivery_key is unique over all.';
comment on column webhook_deliveries.token_hash is 'SHA-256 in hex of the token in the address; the token is not stored.';
comment on column webhook_deliveries.object_key is 'Deliveries of one object are applied in the order of their ids.';
comment on column webhook_deliveries.delivery_key is 'SHA-256 of gateway, route, token and body: the same bytes again are a duplicate.';
comment on column webhook_deliveries.event_key is 'event|object id|status, of events that can happen once only.';
comment on column webhook_deliveries.trust is 'How far the sender is trusted; null until it is applied.';
comment on column webhook_deliveries.error is 'Why it is parked or ignored, or the last error of applying it.';

grant select, insert, update, delete on webhook_deliveries to lango_app;
