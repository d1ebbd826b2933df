-- Notifications: templates, providers, recipients, messages and their deliveries.

create table templates (
  id uuid not null default gen_random_uuid() constraint templates__pkey primary key,
  tenant_id uuid constraint templates__tenant_fkey references tenants (id) on update cascade,
  path text not null constraint templates__path_check check (path ~ '^[a-z][a-z0-9_]{0,39}/[a-z][a-z0-9_]{0,59}$'),
  category text not null,
  live_version integer,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint templates__path_unique unique nulls not distinct (tenant_id, path)
);
comment on table templates is 'Templates of the platform, and those with which a tenant overrides or extends them.';
comment on column templates.tenant_id is 'Null: a template of the platform.';
comment on column templates.live_version is 'The published version that messages use; null: only a draft exists.';

create table template_versions (
  id uuid not null default gen_random_uuid() constraint template_versions__pkey primary key,
  tenant_id uuid constraint template_versions__tenant_fkey references tenants (id) on update cascade,
  template_id uuid not null constraint template_versions__template_fkey references templates (id) on delete cascade,
  version integer not null constraint template_versions__version_check check (version > 0),
  variables jsonb not null,
  samples jsonb not null,
  digest bytea not null,
  revision integer not null default 1,
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  published_at timestamptz,
  constraint template_versions__version_unique unique (template_id, version)
);
create unique index template_versions__draft on template_versions (template_id) where published_at is null;
comment on table template_versions is 'Versions of a template. A published version never changes; one draft exists at most.';
comment on column template_versions.digest is 'SHA-256 of the sources: the platform''s catalogue is published again only when it changed.';
comment on column template_versions.revision is 'Increases with every change of the draft: the entity tag.';

create table template_contents (
  id uuid not null default gen_random_uuid() constraint template_contents__pkey primary key,
  tenant_id uuid constraint template_contents__tenant_fkey references tenants (id) on update cascade,
  version_id uuid not null constraint template_contents__version_fkey references template_versions (id) on delete cascade,
  channel text not null
    constraint template_contents__channel_check check (channel in ('email', 'sms', 'push', 'whatsapp', 'in_app')),
  locale text not null,
  subject text,
  source text not null,
  html text,
  text text not null,
  whatsapp_name text,
  constraint template_contents__place_unique unique (version_id, channel, locale)
);
comment on table template_contents is 'What a version says on a channel in a language.';
comment on column template_contents.html is 'Compiled from source at publish; null on channels without HTML.';
comment on column template_contents.whatsapp_name is 'The name of the template that the vendor approved.';

create table providers (
  id uuid not null default gen_random_uuid() constraint providers__pkey primary key,
  tenant_id uuid constraint providers__tenant_fkey references tenants (id) on update cascade,
  channel text not null constraint providers__channel_check check (channel in ('email', 'sms', 'push', 'whatsapp')),
  kind text not null,
  name text not null constraint providers__name_check check (length(name) between 1 and 60),
  base_url text,
  credentials_key_id text not null,
  credentials bytea not null,
  weight integer not null constraint providers__weight_check check (weight between 0 and 100),
  resting_weight integer not null constraint providers__resting_check check (resting_weight between 0 and 100),
  weighed_at timestamptz,
  per_second integer not null constraint providers__pace_check check (per_second between 1 and 10000),
  paced_at timestamptz,
  in_flight_max integer not null constraint providers__flight_check check (in_flight_max between 1 and 1000),
  webhook_token_hash bytea,
  enabled boolean not null,
  degraded_at timestamptz,
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint providers__name_unique unique nulls not distinct (tenant_id, channel, name)
);
comment on table providers is 'Accounts at providers: the platform''s, and those of tenants.';
comment on column providers.tenant_id is 'Null: a provider of the platform, for every tenant without its own.';
comment on column providers.credentials is 'Encrypted; read by functions only.';
comment on column providers.weight is 'The share of messages that it gets; moves with its errors and returns to resting_weight.';
comment on column providers.paced_at is 'Until when its pace is used up: claims of a batch move it forward.';

create table provider_minutes (
  provider_id uuid not null constraint provider_minutes__provider_fkey references providers (id) on delete cascade,
  tenant_id uuid constraint provider_minutes__tenant_fkey references tenants (id) on update cascade,
  minute timestamptz not null,
  sent integer not null,
  errors integer not null,
  slow integer not null,
  constraint provider_minutes__pkey primary key (provider_id, minute)
);
comment on table provider_minutes is 'How a provider did, by the minute; kept for a day.';
comment on column provider_minutes.slow is 'How many of a minute''s messages took more than five minutes from due to accepted.';

create table provider_reports (
  id uuid not null default gen_random_uuid() constraint provider_reports__pkey primary key,
  tenant_id uuid constraint provider_reports__tenant_fkey references tenants (id) on update cascade,
  provider_id uuid not null constraint provider_reports__provider_fkey references providers (id) on delete cascade,
  event_key bytea not null,
  body_key_id text not null,
  body bytea not null,
  received_at timestamptz not null,
  due_at timestamptz not null,
  attempt integer not null default 0,
  applied_at timestamptz,
  constraint provider_reports__event_unique unique (provider_id, event_key)
);
create index provider_reports__due on provider_reports (due_at) where applied_at is null;
create index provider_reports__old on provider_reports (received_at);
comment on table provider_reports is 'What providers said after they accepted a message: stored before the webhook is answered, applied by a job.';
comment on column provider_reports.event_key is 'SHA-256 of the provider''s id of the report: a repeated one changes nothing.';

create table suppressions (
  id uuid not null default gen_random_uuid() constraint suppressions__pkey primary key,
  tenant_id uuid constraint suppressions__tenant_fkey references tenants (id) on update cascade,
  channel text not null
    constraint suppressions__channel_check check (channel in ('email', 'sms', 'push', 'whatsapp', 'in_app')),
  address_key_id text not null,
  address_key bytea not null,
  address_masked text not null,
  category text,
  reason text not null
    constraint suppressions__reason_check check (reason in ('bounce', 'complaint', 'unsubscribe', 'invalid', 'manual')),
  expires_at timestamptz,
  created_by text,
  created_at timestamptz not null,
  constraint suppressions__address_unique unique nulls not distinct (tenant_id, channel, address_key, category)
);
create index suppressions__address on suppressions (channel, address_key);
comment on table suppressions is 'Addresses that get nothing. Found by the address key; the address itself is not stored.';
comment on column suppressions.tenant_id is 'Null: for every tenant, after a hard bounce through a provider of the platform.';
comment on column suppressions.category is 'Null: every category.';

create table recipients (
  tenant_id uuid not null constraint recipients__tenant_fkey references tenants (id) on update cascade,
  id uuid not null,
  name text not null,
  email_key_id text,
  email bytea,
  email_address_key bytea,
  email_masked text,
  email_verified boolean not null default false,
  roles text[] not null,
  status text not null,
  locale text,
  time_zone text,
  quiet_from time,
  quiet_until time,
  version bigint not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  erased_at timestamptz,
  constraint recipients__pkey primary key (tenant_id, id),
  constraint recipients__quiet_check check ((quiet_from is null) = (quiet_until is null))
);
create index recipients__person on recipients (id);
create index recipients__email on recipients (tenant_id, email_address_key);
comment on table recipients is 'People of a tenant who may get messages, copied from the sign-on service''s events (spec §6).';
comment on column recipients.id is 'The user''s id at the sign-on service.';
comment on column recipients.version is 'Of the last event that was applied; an older one is ignored.';

create table contact_points (
  tenant_id uuid not null,
  id uuid not null default gen_random_uuid(),
  user_id uuid not null,
  channel text not null constraint contact_points__channel_check check (channel in ('email', 'sms', 'push', 'whatsapp')),
  address_key_id text not null,
  address bytea not null,
  address_key bytea not null,
  address_masked text not null,
  platform text,
  verified_at timestamptz,
  invalid_at timestamptz,
  created_at timestamptz not null,
  constraint contact_points__pkey primary key (tenant_id, id),
  constraint contact_points__recipient_fkey
    foreign key (tenant_id, user_id) references recipients (tenant_id, id) on update cascade on delete cascade,
  constraint contact_points__address_unique unique (tenant_id, user_id, channel, address_key)
);
create index contact_points__address on contact_points (tenant_id, channel, address_key);
comment on table contact_points is 'Further addresses of a person: phones, other e-mail addresses, and devices (channel push).';
comment on column contact_points.platform is 'Of a device: android, ios or web.';

create table preferences (
  id uuid not null default gen_random_uuid() constraint preferences__pkey primary key,
  tenant_id uuid constraint preferences__tenant_fkey references tenants (id) on update cascade,
  user_id uuid,
  category text not null,
  channel text not null
    constraint preferences__channel_check check (channel in ('email', 'sms', 'push', 'whatsapp', 'in_app')),
  is_on boolean not null,
  updated_at timestamptz not null,
  constraint preferences__place_unique unique nulls not distinct (tenant_id, user_id, category, channel)
);
comment on table preferences is 'Which categories a person wants on which channel.';
comment on column preferences.user_id is 'Null: the tenant''s default, or the platform''s where tenant_id is null, too.';

create table messages (
  tenant_id uuid not null constraint messages__tenant_fkey references tenants (id) on update cascade,
  id uuid not null,
  source text not null constraint messages__source_check check (source in ('rest', 'event', 'digest', 'resend', 'test')),
  channel text not null
    constraint messages__channel_check check (channel in ('email', 'sms', 'push', 'whatsapp', 'in_app')),
  class text not null constraint messages__class_check check (class in ('urgent', 'normal', 'bulk')),
  category text not null,
  template text not null,
  template_version_id uuid not null constraint messages__version_fkey references template_versions (id),
  data_key_id text,
  data bytea,
  has_secret boolean not null,
  labels jsonb not null,
  outlet_id uuid constraint messages__outlet_fkey references outlets (id),
  locale text,
  provider text,
  send_at timestamptz not null,
  expires_at timestamptz not null,
  caller_kind text not null,
  caller_id text not null,
  about_tenant_id uuid,
  run_id uuid,
  resend_of uuid,
  is_exempt boolean not null,
  wants_delivery_events boolean not null,
  recipients integer not null constraint messages__recipients_check check (recipients between 1 and 1000),
  pending integer not null constraint messages__pending_check check (pending >= 0),
  created_at timestamptz not null,
  constraint messages__pkey primary key (tenant_id, id)
);

create index messages__outlet on messages (tenant_id, outlet_id, created_at desc) where outlet_id is not null;
create index messages__version on messages (template_version_id);
comment on table messages is 'Accepted requests. The id is the requestId.';
comment on column messages.data is 'Variables and metadata, encrypted; null once they are purged.';
comment on column messages.about_tenant_id is 'The tenant that a message of the platform is about.';
comment on column messages.is_exempt is 'A message of the platform: exempt from gate, daily limit and credit.';
comment on column messages.pending is 'Deliveries that are neither sent nor final.';

create table message_deliveries (
  tenant_id uuid not null,
  id uuid not null default gen_random_uuid(),
  message_id uuid not null,
  position integer not null,
  channel text not null
    constraint message_deliveries__channel_check check (channel in ('email', 'sms', 'push', 'whatsapp', 'in_app')),
  class text not null constraint message_deliveries__class_check check (class in ('urgent', 'normal', 'bulk')),
  address_key_id text,
  address bytea,
  address_key bytea not null,
  address_masked text not null,
  user_id uuid,
  locale text,
  status text not null constraint message_deliveries__status_check check (status in
    ('queued', 'sending', 'unknown', 'sent', 'delivered', 'read', 'failed', 'undelivered', 'bounced', 'suppressed',
     'skipped_preference', 'skipped_no_credit', 'skipped_no_subscription', 'skipped_limit', 'digested', 'cancelled',
     'expired', 'dead')),
  rank smallint not null default 0,
  attempt integer not null default 0,
  failures integer not null default 0,
  due_at timestamptz not null,
  expires_at timestamptz not null,
  lease_until timestamptz,
  called_at timestamptz,
  provider_id uuid,
  ref text,
  segments integer not null default 0,
  error_class text,
  error_code text,
  version integer not null default 1,
  created_at timestamptz not null,
  sent_at timestamptz,
  final_at timestamptz,
  constraint message_deliveries__pkey primary key (tenant_id, id),
  constraint message_deliveries__message_fkey foreign key (tenant_id, message_id) references messages (tenant_id, id) on update cascade,
  constraint message_deliveries__address_unique unique (tenant_id, message_id, address_key)
);
create index message_deliveries__due on message_deliveries (tenant_id, channel, class, due_at) where status = 'queued';
create index message_deliveries__lease on message_deliveries (lease_until) where status = 'sending';
create index message_deliveries__unknown on message_deliveries (due_at) where status = 'unknown';
create index message_deliveries__ref on message_deliveries (provider_id, ref) where ref is not null;
create index message_deliveries__address on message_deliveries (tenant_id, address_key, created_at desc);
create index message_deliveries__user on message_deliveries (tenant_id, user_id, created_at desc) where user_id is not null;
comment on table message_deliveries is 'A message to one address, and how far it is.';
comment on column message_deliveries.address is 'Encrypted; null once it is purged.';
comment on column message_deliveries.rank is 'Reports only raise it: sent 1, undelivered 2, delivered 3, bounced 4, read 5.';
comment on column message_deliveries.attempt is 'Increases with every claim: a process that lost its lease changes nothing.';
comment on column message_deliveries.failures is 'Answered failures; a provider that could not be reached does not count.';
comment on column message_deliveries.called_at is 'Of sms and whatsapp: written before the call. Null: the provider was certainly not called in this attempt.';

create table delivery_events (
  tenant_id uuid not null,
  id uuid not null default gen_random_uuid(),
  delivery_id uuid not null,
  at timestamptz not null,
  kind text not null constraint delivery_events__kind_check check (kind in ('decision', 'attempt', 'report')),
  detail jsonb not null,
  constraint delivery_events__pkey primary key (tenant_id, id),
  constraint delivery_events__delivery_fkey
    foreign key (tenant_id, delivery_id) references message_deliveries (tenant_id, id) on update cascade on delete cascade
);
create index delivery_events__delivery on delivery_events (tenant_id, delivery_id, at);
comment on table delivery_events is 'The timeline of a delivery, without personal data; rows are only added.';

create table lanes (
  tenant_id uuid not null constraint lanes__tenant_fkey references tenants (id) on update cascade,
  channel text not null,
  class text not null,
  next_due_at timestamptz,
  served_at timestamptz not null,
  constraint lanes__pkey primary key (tenant_id, channel, class)
);
create index lanes__due on lanes (class, served_at) where next_due_at is not null;
comment on table lanes is 'A tenant''s queue for a channel and a class.';
comment on column lanes.next_due_at is 'When its next delivery is due; null: idle.';
comment on column lanes.served_at is 'When it was last claimed from: the least recently served lane comes first.';

create table send_days (
  tenant_id uuid not null constraint send_days__tenant_fkey references tenants (id) on update cascade,
  day date not null,
  used integer not null constraint send_days__used_check check (used >= 0),
  constraint send_days__pkey primary key (tenant_id, day)
);
comment on table send_days is 'E-mails by the day on which they are sent, in the tenant''s time zone: counted against max_emails_per_day.';

create table channel_buckets (
  tenant_id uuid not null constraint channel_buckets__tenant_fkey references tenants (id) on update cascade,
  channel text not null,
  tokens double precision not null,
  refilled_at timestamptz not null,
  constraint channel_buckets__pkey primary key (tenant_id, channel)
);
comment on table channel_buckets is 'Token buckets of the limits by channel.';

create table limits (
  id uuid not null default gen_random_uuid() constraint limits__pkey primary key,
  tenant_id uuid constraint limits__tenant_fkey references tenants (id) on update cascade,
  channel text not null
    constraint limits__channel_check check (channel in ('email', 'sms', 'push', 'whatsapp', 'in_app')),
  per_minute integer not null constraint limits__rate_check check (per_minute between 1 and 1000000),
  burst integer not null constraint limits__burst_check check (burst between 1 and 1000000),
  set_by text not null,
  set_at timestamptz not null,
  constraint limits__channel_unique unique nulls not distinct (tenant_id, channel)
);
comment on table limits is 'Recipients per minute and at once, by channel. Null tenant: the platform''s default.';
insert into limits (tenant_id, channel, per_minute, burst, set_by, set_at)
values (null, 'email', 600, 2000, 'migration', now()), (null, 'sms', 300, 2000, 'migration', now()),
       (null, 'whatsapp', 300, 2000, 'migration', now()), (null, 'push', 6000, 6000, 'migration', now()),
       (null, 'in_app', 6000, 6000, 'migration', now());

create table idempotency_keys (
  tenant_id uuid not null constraint idempotency_keys__tenant_fkey references tenants (id) on update cascade,
  caller text not null,
  key_hash bytea not null,
  body_hmac bytea not null,
  message_id uuid not null,
  expires_at timestamptz not null,
  constraint idempotency_keys__pkey primary key (tenant_id, caller, key_hash)
);
create index idempotency_keys__expiry on idempotency_keys (expires_at);
comment on table idempotency_keys is 'Keys of requests, sent or derived from the body (§8): a repetition within 24 hours gets the first answer.';
comment on column idempotency_keys.body_hmac is 'HMAC of the body; a bare hash would let a short secret in it be guessed.';

create table credit_balances (
  tenant_id uuid not null constraint credit_balances__pkey primary key
    constraint credit_balances__tenant_fkey references tenants (id) on update cascade,
  balance bigint not null default 0 constraint credit_balances__balance_check check (balance >= 0),
  reserved bigint not null default 0 constraint credit_balances__reserved_check check (reserved >= 0),
  threshold bigint not null default 50 constraint credit_balances__threshold_check check (threshold >= 0),
  is_low boolean not null default true,
  updated_at timestamptz not null,
  constraint credit_balances__bound_check check (reserved <= balance)
);
comment on table credit_balances is 'Prepaid SMS segments of a tenant.';
comment on column credit_balances.is_low is 'Whether balance is below threshold: the warning is published when it becomes true.';

create table credit_entries (
  tenant_id uuid not null constraint credit_entries__tenant_fkey references tenants (id) on update cascade,
  id uuid not null default gen_random_uuid(),
  kind text not null
    constraint credit_entries__kind_check check (kind in ('top_up', 'grant', 'reserve', 'settle', 'release', 'adjust')),
  segments bigint not null,
  delivery_id uuid,
  operation_id uuid,
  payment_id text,
  reason text,
  balance bigint not null,
  reserved bigint not null,
  made_by text,
  at timestamptz not null,
  constraint credit_entries__pkey primary key (tenant_id, id),
  constraint credit_entries__delivery_unique unique (tenant_id, delivery_id, kind),
  constraint credit_entries__payment_unique unique (tenant_id, payment_id)
);
create index credit_entries__newest on credit_entries (tenant_id, at desc, id desc);
comment on table credit_entries is 'Every change of a credit account, with the account after it; rows are only added.';

alter table recipients enable row level security;
alter table recipients force row level security;
create policy recipients__tenant on recipients using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy recipients__platform on recipients for select to lango_platform using (true);

alter table contact_points enable row level security;
alter table contact_points force row level security;
create policy contact_points__tenant on contact_points using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy contact_points__platform on contact_points for select to lango_platform using (true);

alter table messages enable row level security;
alter table messages force row level security;
create policy messages__tenant on messages using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy messages__platform on messages for select to lango_platform using (true);
create policy messages__outlets on messages as restrictive to lango_app using (
  outlet_id is null or current_setting('app.outlet_ids', true) = '*'
  or outlet_id::text = any(string_to_array(current_setting('app.outlet_ids', true), ',')));

alter table message_deliveries enable row level security;
alter table message_deliveries force row level security;
create policy message_deliveries__tenant on message_deliveries using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy message_deliveries__platform on message_deliveries for select to lango_platform using (true);

alter table delivery_events enable row level security;
alter table delivery_events force row level security;
create policy delivery_events__tenant on delivery_events using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy delivery_events__platform on delivery_events for select to lango_platform using (true);

alter table lanes enable row level security;
alter table lanes force row level security;
create policy lanes__tenant on lanes using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy lanes__platform on lanes for select to lango_platform using (true);

alter table send_days enable row level security;
alter table send_days force row level security;
create policy send_days__tenant on send_days using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy send_days__platform on send_days for select to lango_platform using (true);

alter table channel_buckets enable row level security;
alter table channel_buckets force row level security;
create policy channel_buckets__tenant on channel_buckets using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy channel_buckets__platform on channel_buckets for select to lango_platform using (true);

alter table idempotency_keys enable row level security;
alter table idempotency_keys force row level security;
create policy idempotency_keys__tenant on idempotency_keys using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy idempotency_keys__platform on idempotency_keys for select to lango_platform using (true);

alter table credit_balances enable row level security;
alter table credit_balances force row level security;
create policy credit_balances__tenant on credit_balances using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy credit_balances__platform on credit_balances for select to lango_platform using (true);

alter table credit_entries enable row level security;
alter table credit_entries force row level security;
create policy credit_entries__tenant on credit_entries using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy credit_entries__platform on credit_entries for select to lango_platform using (true);

alter table templates enable row level security;
alter table templates force row level security;
create policy templates__tenant on templates using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy templates__default on templates for select
  using (tenant_id is null or tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy templates__lookup on templates to lango_lookup using (true);
create policy templates__platform on templates for select to lango_platform using (true);

alter table template_versions enable row level security;
alter table template_versions force row level security;
create policy template_versions__tenant on template_versions using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy template_versions__default on template_versions for select
  using (tenant_id is null or tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy template_versions__lookup on template_versions to lango_lookup using (true);
create policy template_versions__platform on template_versions for select to lango_platform using (true);

alter table template_contents enable row level security;
alter table template_contents force row level security;
create policy template_contents__tenant on template_contents using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy template_contents__default on template_contents for select
  using (tenant_id is null or tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy template_contents__lookup on template_contents to lango_lookup using (true);
create policy template_contents__platform on template_contents for select to lango_platform using (true);

alter table providers enable row level security;
alter table providers force row level security;
create policy providers__tenant on providers using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy providers__default on providers for select
  using (tenant_id is null or tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy providers__lookup on providers to lango_lookup using (true);
create policy providers__platform on providers for select to lango_platform using (true);

alter table preferences enable row level security;
alter table preferences force row level security;
create policy preferences__tenant on preferences using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy preferences__default on preferences for select
  using (tenant_id is null or tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy preferences__lookup on preferences to lango_lookup using (true);
create policy preferences__platform on preferences for select to lango_platform using (true);

alter table limits enable row level security;
alter table limits force row level security;
create policy limits__tenant on limits using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy limits__default on limits for select
  using (tenant_id is null or tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy limits__lookup on limits to lango_lookup using (true);
create policy limits__platform on limits for select to lango_platform using (true);

alter table provider_minutes enable row level security;
alter table provider_minutes force row level security;
create policy provider_minutes__tenant on provider_minutes using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy provider_minutes__lookup on provider_minutes to lango_lookup using (true);
create policy provider_minutes__platform on provider_minutes for select to lango_platform using (true);

alter table provider_reports enable row level security;
alter table provider_reports force row level security;
create policy provider_reports__tenant on provider_reports using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy provider_reports__lookup on provider_reports to lango_lookup using (true);
create policy provider_reports__platform on provider_reports for select to lango_platform using (true);

alter table suppressions enable row level security;
alter table suppressions force row level security;
create policy suppressions__tenant on suppressions using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy suppressions__lookup on suppressions to lango_lookup using (true);
create policy suppressions__platform on suppressions for select to lango_platform using (true);

grant select, insert, update, delete on templates, template_versions, template_contents, recipients, contact_points,
  preferences, messages, message_deliveries, lanes, send_days, channel_buckets, limits, idempotency_keys, credit_balances to lango_app;
grant select, insert, delete on delivery_events to lango_app;
grant select, insert on credit_entries to lango_app;
grant select (id, tenant_id, channel, kind, name, base_url, weight, resting_weight, per_second, in_flight_max, enabled,
  degraded_at, created_by, created_at, updated_at), insert, delete on providers to lango_app;
grant update (name, credentials_key_id, credentials, resting_weight, weight, per_second, in_flight_max, enabled,
  webhook_token_hash, updated_at) on providers to lango_app;
grant select, insert, update, delete on suppressions to lango_app;
grant select on provider_minutes to lango_app;
grant select on templates, template_versions, template_contents, recipients, contact_points, preferences, messages, message_deliveries,
  delivery_events, lanes, send_days, channel_buckets, limits, idempotency_keys, credit_balances, credit_entries,
  suppressions, provider_minutes to lango_platform;
grant select (id, tenant_id, channel, kind, name, base_url, weight, resting_weight, per_second, in_flight_max, enabled,
  degraded_at, created_by, created_at, updated_at) on providers to lango_platform;
grant select, insert, update, delete on templates, template_versions, template_contents, providers, provider_minutes,
  provider_reports, suppressions, preferences, limits to lango_lookup;
grant select on lanes, message_deliveries, recipients, tenants to lango_lookup;
create policy lanes__lookup on lanes for select to lango_lookup using (true);
create policy message_deliveries__lookup on message_deliveries for select to lango_lookup using (true);
create policy recipients__lookup on recipients for select to lango_lookup using (true);

-- The suppressions of these addresses: the tenant's, and those of every tenant.
create function list_suppressed(p_tenant uuid, p_channel text, p_keys bytea[], p_now timestamptz)
returns table (address_key bytea, category text, reason text)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select s.address_key, s.category, s.reason from suppressions s
   where s.channel = p_channel and s.address_key = any (p_keys)
     and (s.tenant_id = p_tenant or s.tenant_id is null)
     and (s.expires_at is null or s.expires_at > p_now)
$$;
alter function list_suppressed(uuid, text, bytea[], timestamptz) owner to lango_lookup;
revoke execute on function list_suppressed(uuid, text, bytea[], timestamptz) from public;
grant execute on function list_suppressed(uuid, text, bytea[], timestamptz) to lango_app;

-- Accepts a message with its deliveries, in one transaction: deduplicates it, counts it against the day and the bucket, reserves
-- credit, and wakes the lane. A refusal is raised as LN001 to LN004 and undoes everything. Locks are taken in this order: key,
-- day, bucket, credit, lane. Call it inside the tenant.
create function accept_message(p_message jsonb, p_deliveries jsonb, p_rules jsonb, p_now timestamptz)
returns table (message_id uuid, is_replayed boolean, pending integer, counts jsonb)
language plpgsql
set search_path = public, pg_temp
as $$
declare
  v_tenant constant uuid := (p_message->>'tenant_id')::uuid;
  v_id constant uuid := (p_message->>'id')::uuid;
  v_channel constant text := p_message->>'channel';
  v_class constant text := p_message->>'class';
  v_is_critical constant boolean := (p_rules->>'is_critical')::boolean;
  v_is_exempt constant boolean := (p_message->>'is_exempt')::boolean;
  v_send_at constant timestamptz := (p_message->>'send_at')::timestamptz;
  v_daily_limit constant integer := (p_rules->>'daily_limit')::integer;
  v_earlier record;
  v_rows jsonb;
  v_queued integer;
  v_used integer;
  v_limit record;
  v_tokens double precision;
  v_available bigint;
  v_reserved bigint;
  v_lane record;
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

  select jsonb_agg(d.row || jsonb_build_object('status', case
           when d.row ? 'skip' then d.row->>'skip'
           when exists (
             select from list_suppressed(v_tenant, v_channel, (
               select array_agg(decode(key, 'hex'))
                 from jsonb_array_elements(p_deliveries) one, jsonb_array_elements_text(one->'keys') key), p_now) s
              where encode(s.address_key, 'hex') in (select jsonb_array_elements_text(d.row->'keys'))
                and (s.category is null or s.category = p_message->>'category')
                and (not v_is_critical or s.reason in ('bounce', 'invalid'))) then 'suppressed'
           when not v_is_critical and d.row->>'user_id' is not null and not coalesce((
             select p.is_on from preferences p
              where p.category = p_message->>'category' and p.channel = v_channel
                and (p.tenant_id = v_tenant or p.tenant_id is null)
                and (p.user_id = (d.row->>'user_id')::uuid or p.user_id is null)
              order by p.user_id is null, p.tenant_id is null limit 1), true) then 'skipped_preference'
           else 'queued' end) order by (d.row->>'position')::integer)
    into v_rows
    from jsonb_array_elements(p_deliveries) as d (row);
  select count(*) into v_queued from jsonb_array_elements(v_rows) r where r->>'status' = 'queued';

  if v_channel = 'email' and not v_is_exempt and v_queued > 0 then
    insert into send_days as s (tenant_id, day, used)
    select v_tenant, (v_send_at at time zone t.time_zone)::date, v_queued from tenants t
     where t.id = v_tenant and (v_daily_limit = -1 or v_queued <= v_daily_limit)
    on conflict on constraint send_days__pkey do update set used = s.used + v_queued
     where v_daily_limit = -1 or s.used + v_queued <= v_daily_limit
    returning s.used into v_used;
    if v_used is null then
      if p_rules->>'over_limit' <> 'skip' then
        raise exception 'daily_limit_reached' using errcode = 'LN002', detail = (
          select v_daily_limit || ' ' || ceil(extract(epoch from
                   ((v_send_at at time zone t.time_zone)::date + 1) at time zone t.time_zone - p_now))
            from tenants t where t.id = v_tenant);
      end if;
      select jsonb_agg(case when r->>'status' = 'queued' then r || '{"status": "skipped_limit"}' else r end)
        into v_rows from jsonb_array_elements(v_rows) r;
      v_queued := 0;
    end if;
  end if;

  if not v_is_exempt and v_queued > 0 then
    select l.per_minute, l.burst into strict v_limit from limits l
     where l.channel = v_channel and (l.tenant_id = v_tenant or l.tenant_id is null)
     order by l.tenant_id is null limit 1;
    if v_queued > v_limit.burst then
      raise exception 'too_many_recipients' using errcode = 'LN003', detail = v_limit.burst::text;
    end if;
    insert into channel_buckets as b (tenant_id, channel, tokens, refilled_at)
    values (v_tenant, v_channel, v_limit.burst - v_queued, p_now)
    on conflict on constraint channel_buckets__pkey do update
       set tokens = least(v_limit.burst, b.tokens
             + greatest(extract(epoch from p_now - b.refilled_at), 0) * v_limit.per_minute / 60.0) - v_queued,
           refilled_at = greatest(b.refilled_at, p_now)
     where least(v_limit.burst, b.tokens
             + greatest(extract(epoch from p_now - b.refilled_at), 0) * v_limit.per_minute / 60.0) >= v_queued;
    if not found then
      select least(v_limit.burst, b.tokens + greatest(extract(epoch from p_now - b.refilled_at), 0) * v_limit.per_minute / 60.0)
        into v_tokens from channel_buckets b where b.tenant_id = v_tenant and b.channel = v_channel;
      raise exception 'channel_limited' using errcode = 'LN004',
        detail = greatest(ceil((v_queued - v_tokens) * 60.0 / v_limit.per_minute), 1)::text;
    end if;
  end if;

  if v_channel = 'sms' and not v_is_exempt and v_queued > 0 then
    select a.balance - a.reserved into v_available from credit_balances a where a.tenant_id = v_tenant for update;
    v_available := coalesce(v_available, 0);
    select jsonb_agg(case when c.row->>'status' = 'queued' and c.total > v_available
                          then c.row || '{"status": "skipped_no_credit"}' else c.row end order by c.place),
           count(*) filter (where c.row->>'status' = 'queued' and c.total <= v_available),
           coalesce(sum((c.row->>'segments')::bigint) filter (where c.row->>'status' = 'queued' and c.total <= v_available), 0)
      into v_rows, v_queued, v_reserved
      from (select r.row, r.place, sum(case when r.row->>'status' = 'queued' then (r.row->>'segments')::bigint else 0 end)
                     over (order by r.place) as total
              from jsonb_array_elements(v_rows) with ordinality as r (row, place)) c;
    if v_reserved > 0 then
      update credit_balances a set reserved = a.reserved + v_reserved, updated_at = p_now where a.tenant_id = v_tenant;
      insert into credit_entries (tenant_id, kind, segments, delivery_id, balance, reserved, at)
      select v_tenant, 'reserve', (r->>'segments')::bigint, (r->>'id')::uuid, a.balance, a.reserved, p_now
        from jsonb_array_elements(v_rows) r, credit_balances a
       where a.tenant_id = v_tenant and r->>'status' = 'queued';
    end if;
  end if;

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
         r->>'status', v_send_at, (p_message->>'expires_at')::timestamptz, (r->>'segments')::integer, p_now,
         case when r->>'status' <> 'queued' then p_now end
    from jsonb_array_elements(v_rows) r;

  if v_queued > 0 then
    select l.next_due_at into v_lane from lanes l
     where l.tenant_id = v_tenant and l.channel = v_channel and l.class = v_class for update;
    if v_lane.next_due_at is null or v_lane.next_due_at > v_send_at then
      insert into lanes as l (tenant_id, channel, class, next_due_at, served_at)
      values (v_tenant, v_channel, v_class, v_send_at, p_now)
      on conflict on constraint lanes__pkey do update set next_due_at = least(coalesce(l.next_due_at, v_send_at), v_send_at);
      if v_send_at <= p_now then perform pg_notify('notifications_changed', 'due ' || v_class); end if;
    end if;
  end if;
  return query
    select v_id, false, v_queued, (
      select jsonb_object_agg(c.status, c.n)
        from (select r->>'status' as status, count(*) as n from jsonb_array_elements(v_rows) r group by 1) c);
end
$$;
revoke execute on function accept_message(jsonb, jsonb, jsonb, timestamptz) from public;
grant execute on function accept_message(jsonb, jsonb, jsonb, timestamptz) to lango_app;

-- The lanes with due deliveries of a class, the least recently served first. Lanes of suspended tenants rest.
create function due_lanes(p_class text, p_max integer, p_now timestamptz)
returns table (tenant_id uuid, channel text)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select l.tenant_id, l.channel from lanes l join tenants t on t.id = l.tenant_id
   where l.class = p_class and l.next_due_at <= p_now and t.status = 'active'
   order by l.served_at limit p_max
$$;
alter function due_lanes(text, integer, timestamptz) owner to lango_lookup;
revoke execute on function due_lanes(text, integer, timestamptz) from public;
grant execute on function due_lanes(text, integer, timestamptz) to lango_app;

-- Claims due deliveries of a lane. Each is leased, and returned with a verdict: send, expired or suppressed. The lane is locked
-- first, so that a message that is accepted meanwhile is seen, or sets the lane due itself. Call it inside the tenant.
create function claim_lane(p_tenant uuid, p_lane jsonb, p_max integer, p_now timestamptz)
returns table (id uuid, attempt integer, failures integer, verdict text, message_id uuid, address_key_id text, address bytea,
  address_key bytea, user_id uuid, locale text, segments integer, provider_id uuid, due_at timestamptz, expires_at timestamptz,
  category text, template text, template_version_id uuid, data_key_id text, data bytea, message_locale text, provider text,
  about_tenant_id uuid, is_exempt boolean)
language plpgsql
set search_path = public, pg_temp
as $$
#variable_conflict use_column
declare
  v_channel constant text := p_lane->>'channel';
  v_class constant text := p_lane->>'class';
begin
  perform from lanes l where l.tenant_id = p_tenant and l.channel = v_channel and l.class = v_class for update;
  return query
  with due as materialized (
    select d.id, d.address_key, d.expires_at, d.due_at, m.category
      from message_deliveries d join messages m on m.tenant_id = d.tenant_id and m.id = d.message_id
     where d.tenant_id = p_tenant and d.channel = v_channel and d.class = v_class and d.status = 'queued' and d.due_at <= p_now
     order by d.due_at limit p_max for update of d skip locked
  ), hits as (
    select distinct due.id from due
      join list_suppressed(p_tenant, v_channel, (select array_agg(due.address_key) from due), p_now) s
        on s.address_key = due.address_key and (s.category is null or s.category = due.category)
     where not (p_lane->'critical') ? due.category or s.reason in ('bounce', 'invalid')
  ), leased as (
    update message_deliveries d
       set status = 'sending', attempt = d.attempt + 1, called_at = null,
           lease_until = p_now + make_interval(secs => (p_lane->>'lease_seconds')::integer)
      from due where d.tenant_id = p_tenant and d.id = due.id
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
revoke execute on function claim_lane(uuid, jsonb, integer, timestamptz) from public;
grant execute on function claim_lane(uuid, jsonb, integer, timestamptz) to lango_app;

-- Settles outcomes of deliveries in one transaction: state, timeline, credit, the message's open deliveries, and the lanes of
-- those that are tried again. A result of an older attempt changes nothing. Returns the deliveries that changed. Locks are taken in
-- this order: deliveries, messages, day, credit, lanes. Call it inside the tenant.
create function settle_deliveries(p_tenant uuid, p_results jsonb, p_now timestamptz)
returns table (id uuid, message_id uuid, channel text, status text, version integer, user_id uuid, address_masked text,
  error_class text, error_code text, provider_kind text, template text, is_message_complete boolean, wants_events boolean, credit_low jsonb)
language plpgsql
set search_path = public, pg_temp
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
           sent_at = case when r.status = 'sent' then coalesce(d.sent_at, p_now) else d.sent_at end,
           final_at = case when r.status in ('queued', 'unknown', 'sent') then null else coalesce(d.final_at, p_now) end
      from result r, before b
     where d.tenant_id = p_tenant and d.id = r.id and b.id = d.id and (r.attempt is null or d.attempt = r.attempt)
       and r."from" ? d.status and (r.rank is null or r.rank > d.rank)
    returning d.id, d.message_id, d.channel, d.class, d.status, d.version, d.user_id, d.address_masked, d.due_at,
              d.error_class, d.error_code, d.provider_id, b.status as was, b.segments as reserved, r.kind, r.detail
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

  select coalesce(sum((c->>'reserved')::bigint) filter (where c->>'status' = 'sent' or c->>'status' = 'expired' and c->>'was' = 'unknown'), 0),
         coalesce(sum((c->>'reserved')::bigint) filter (where not (c->>'status' = 'sent' or c->>'status' = 'expired' and c->>'was' = 'unknown')), 0)
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
           case when c->>'status' = 'sent' or c->>'status' = 'expired' and c->>'was' = 'unknown' then 'settle' else 'release' end,
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
revoke execute on function settle_deliveries(uuid, jsonb, timestamptz) from public;
grant execute on function settle_deliveries(uuid, jsonb, timestamptz) to lango_app;

-- The tenants with deliveries whose lease has ended, or with unknown ones that are due for a look-up.
create function tenants_to_recover(p_now timestamptz, p_max integer)
returns table (tenant_id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  (select distinct d.tenant_id from message_deliveries d where d.status = 'sending' and d.lease_until < p_now limit p_max)
  union
  (select distinct d.tenant_id from message_deliveries d where d.status = 'unknown' and d.due_at < p_now limit p_max)
$$;
alter function tenants_to_recover(timestamptz, integer) owner to lango_lookup;
revoke execute on function tenants_to_recover(timestamptz, integer) from public;
grant execute on function tenants_to_recover(timestamptz, integer) to lango_app;

-- The tenants with due deliveries in an idle lane.
create function tenants_with_idle_lanes(p_now timestamptz, p_max integer)
returns table (tenant_id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select distinct d.tenant_id from message_deliveries d
    left join lanes l on l.tenant_id = d.tenant_id and l.channel = d.channel and l.class = d.class
   where d.status = 'queued' and d.due_at < p_now and l.next_due_at is null limit p_max
$$;
alter function tenants_with_idle_lanes(timestamptz, integer) owner to lango_lookup;
revoke execute on function tenants_with_idle_lanes(timestamptz, integer) from public;
grant execute on function tenants_with_idle_lanes(timestamptz, integer) to lango_app;

-- The enabled providers that a tenant can send through on a channel, with their credentials: its own, and the platform's.
create function list_sending_providers(p_tenant uuid, p_channel text)
returns table (id uuid, tenant_id uuid, kind text, name text, base_url text, credentials_key_id text, credentials bytea,
  weight integer, per_second integer, in_flight_max integer, updated_at timestamptz)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select p.id, p.tenant_id, p.kind, p.name, p.base_url, p.credentials_key_id, p.credentials, p.weight, p.per_second,
         p.in_flight_max, p.updated_at
    from providers p
   where p.channel = p_channel and p.enabled and (p.tenant_id = p_tenant or p.tenant_id is null)
$$;
alter function list_sending_providers(uuid, text) owner to lango_lookup;
revoke execute on function list_sending_providers(uuid, text) from public;
grant execute on function list_sending_providers(uuid, text) to lango_app;

-- The provider of a webhook, whoever's it is.
create function find_webhook_provider(p_id uuid)
returns table (id uuid, tenant_id uuid, channel text, kind text, base_url text, credentials_key_id text, credentials bytea,
  webhook_token_hash bytea)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select p.id, p.tenant_id, p.channel, p.kind, p.base_url, p.credentials_key_id, p.credentials, p.webhook_token_hash
    from providers p where p.id = p_id
$$;
alter function find_webhook_provider(uuid) owner to lango_lookup;
revoke execute on function find_webhook_provider(uuid) from public;
grant execute on function find_webhook_provider(uuid) to lango_app;

-- Published versions of templates never change.
create function refuse_published_change()
returns trigger
language plpgsql
set search_path = public, pg_temp
as $$
begin
  if old.published_at is not null then raise exception 'version % of the template is published', old.version; end if;
  return new;
end
$$;
create trigger template_versions__published before update on template_versions
  for each row execute function refuse_published_change();

-- Takes over the rows of an id of the tenant that is merged into another (decision 0045): e-mails of
-- a day and credit are added, buckets and lanes are joined.
create function prepare_merge(p_from uuid, p_to uuid)
returns void
language sql
set search_path = public, pg_temp
as $$
  update send_days d set used = d.used + f.used from send_days f
   where d.tenant_id = p_to and f.tenant_id = p_from and f.day = d.day;
  delete from send_days f using send_days d where d.tenant_id = p_to and f.tenant_id = p_from and f.day = d.day;
  delete from channel_buckets f using channel_buckets d
   where d.tenant_id = p_to and f.tenant_id = p_from and f.channel = d.channel;
  update lanes d set next_due_at = least(coalesce(d.next_due_at, f.next_due_at), coalesce(f.next_due_at, d.next_due_at)) from lanes f
   where d.tenant_id = p_to and f.tenant_id = p_from and f.channel = d.channel and f.class = d.class;
  delete from lanes f using lanes d
   where d.tenant_id = p_to and f.tenant_id = p_from and f.channel = d.channel and f.class = d.class;
  update credit_balances d set balance = d.balance + f.balance, reserved = d.reserved + f.reserved from credit_balances f
   where d.tenant_id = p_to and f.tenant_id = p_from;
  delete from credit_balances f using credit_balances d where d.tenant_id = p_to and f.tenant_id = p_from;
$$;
revoke execute on function prepare_merge(uuid, uuid) from public;

-- Publishes a template of the platform if it differs from the one in force. Returns whether it did.
create function publish_platform_template(p_template jsonb, p_contents jsonb, p_now timestamptz)
returns boolean
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  v_template templates;
  v_digest constant bytea := decode(p_template->>'digest', 'hex');
  v_version uuid;
begin
  insert into templates (tenant_id, path, category, created_at, updated_at)
  values (null, p_template->>'path', p_template->>'category', p_now, p_now)
  on conflict on constraint templates__path_unique do nothing;
  select * into strict v_template from templates t where t.tenant_id is null and t.path = p_template->>'path' for update;
  if exists (select from template_versions v
              where v.template_id = v_template.id and v.version = v_template.live_version and v.digest = v_digest) then
    return false;
  end if;
  insert into template_versions (tenant_id, template_id, version, variables, samples, digest, created_by, created_at, updated_at,
    published_at)
  select null, v_template.id, coalesce(max(v.version), 0) + 1, p_template->'variables', p_template->'samples', v_digest,
         'platform', p_now, p_now, p_now
    from template_versions v where v.template_id = v_template.id
  returning id into v_version;
  insert into template_contents (tenant_id, version_id, channel, locale, subject, source, html, text, whatsapp_name)
  select null, v_version, c.channel, c.locale, c.subject, c.source, c.html, c.text, c.whatsapp_name
    from jsonb_to_recordset(p_contents) as c (channel text, locale text, subject text, source text, html text, text text,
      whatsapp_name text);
  update templates t
     set live_version = (select v.version from template_versions v where v.id = v_version), category = p_template->>'category',
         updated_at = p_now
   where t.id = v_template.id;
  perform pg_notify('notifications_changed', 'template');
  return true;
end
$$;
alter function publish_platform_template(jsonb, jsonb, timestamptz) owner to lango_lookup;
revoke execute on function publish_platform_template(jsonb, jsonb, timestamptz) from public;
grant execute on function publish_platform_template(jsonb, jsonb, timestamptz) to lango_app;

-- Makes or changes a provider of the platform, found by channel and name. Called for the platform owner and by seeds.
create function save_platform_provider(p_provider jsonb, p_now timestamptz)
returns uuid
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  v_id uuid;
begin
  insert into providers (tenant_id, channel, kind, name, base_url, credentials_key_id, credentials, weight, resting_weight,
    per_second, in_flight_max, webhook_token_hash, enabled, created_by, created_at, updated_at)
  values (null, p_provider->>'channel', p_provider->>'kind', p_provider->>'name', p_provider->>'base_url',
    p_provider->>'credentials_key_id', decode(p_provider->>'credentials', 'hex'), (p_provider->>'resting_weight')::integer,
    (p_provider->>'resting_weight')::integer, (p_provider->>'per_second')::integer, (p_provider->>'in_flight_max')::integer,
    decode(p_provider->>'webhook_token_hash', 'hex'), (p_provider->>'enabled')::boolean, p_provider->>'made_by', p_now, p_now)
  on conflict on constraint providers__name_unique do update
     set kind = excluded.kind, base_url = excluded.base_url, credentials_key_id = excluded.credentials_key_id,
         credentials = excluded.credentials, resting_weight = excluded.resting_weight, weight = excluded.weight,
         per_second = excluded.per_second, in_flight_max = excluded.in_flight_max,
         webhook_token_hash = coalesce(excluded.webhook_token_hash, providers.webhook_token_hash), enabled = excluded.enabled,
         updated_at = p_now
  returning id into v_id;
  perform pg_notify('notifications_changed', 'providers');
  return v_id;
end
$$;
alter function save_platform_provider(jsonb, timestamptz) owner to lango_lookup;
revoke execute on function save_platform_provider(jsonb, timestamptz) from public;
grant execute on function save_platform_provider(jsonb, timestamptz) to lango_app;

-- The platform's templates in force, with the digests of their sources.
create function list_platform_digests()
returns table (path text, digest bytea)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select t.path, v.digest from templates t join template_versions v on v.template_id = t.id and v.version = t.live_version
   where t.tenant_id is null
$$;
alter function list_platform_digests() owner to lango_lookup;
revoke execute on function list_platform_digests() from public;
grant execute on function list_platform_digests() to lango_app;
