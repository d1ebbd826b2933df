-- breaking: no
-- Notifications: templates, providers, recipients, messages and their deliveries.

create table platform_templates (
  id uuid not null default gen_random_uuid() constraint platform_templates__pkey primary key,
  path text not null constraint platform_templates__path_check check (path ~ '^[a-z][a-z0-9_]{0,39}/[a-z][a-z0-9_]{0,59}$'),
  category text not null,
  live_version integer,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint platform_templates__path_unique unique (path)
);
comment on table platform_templates is 'Templates of the platform: those of the catalogue, and what the platform owner makes of them.';
comment on column platform_templates.live_version is 'The published version that messages use; null: only a draft exists.';

create table platform_template_versions (
  id uuid not null default gen_random_uuid() constraint platform_template_versions__pkey primary key,
  template_id uuid not null constraint platform_template_versions__template_fkey references platform_templates (id) on delete cascade,
  version integer not null constraint platform_template_versions__version_check check (version > 0),
  variables jsonb not null,
  samples jsonb not null,
  digest bytea not null,
  revision integer not null default 1,
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  published_at timestamptz,
  constraint platform_template_versions__version_unique unique (template_id, version)
);
create unique index platform_template_versions__draft on platform_template_versions (template_id) where published_at is null;
comment on table platform_template_versions is 'Versions of a template of the platform. A published version never changes; one draft exists at most.';
comment on column platform_template_versions.digest is 'SHA-256 of the sources: the catalogue is published again only when it changed.';
comment on column platform_template_versions.revision is 'Increases with every change of the draft: the entity tag.';

create table platform_template_contents (
  id uuid not null default gen_random_uuid() constraint platform_template_contents__pkey primary key,
  version_id uuid not null constraint platform_template_contents__version_fkey references platform_template_versions (id) on delete cascade,
  channel text not null
    constraint platform_template_contents__channel_check check (channel in ('email', 'sms', 'push', 'whatsapp', 'in_app')),
  locale text not null,
  subject text,
  source text not null,
  html text,
  text text not null,
  whatsapp_name text,
  constraint platform_template_contents__place_unique unique (version_id, channel, locale)
);
comment on table platform_template_contents is 'What a version says on a channel in a language.';
comment on column platform_template_contents.html is 'Compiled from source at publish; null on channels without HTML.';
comment on column platform_template_contents.whatsapp_name is 'The name of the template that the vendor approved.';

create table templates (
  tenant_id uuid not null default nullif(current_setting('app.tenant_id', true), '')::uuid
    constraint templates__tenant_fkey references tenants (id) on update cascade,
  id uuid not null default gen_random_uuid(),
  path text not null constraint templates__path_check check (path ~ '^[a-z][a-z0-9_]{0,39}/[a-z][a-z0-9_]{0,59}$'),
  category text not null,
  live_version integer,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint templates__pkey primary key (tenant_id, id),
  constraint templates__path_unique unique (tenant_id, path)
);
comment on table templates is 'Templates with which a tenant overrides or extends those of the platform.';
comment on column templates.live_version is 'The published version that messages use; null: only a draft exists.';

create table template_versions (
  tenant_id uuid not null default nullif(current_setting('app.tenant_id', true), '')::uuid
    constraint template_versions__tenant_fkey references tenants (id) on update cascade,
  id uuid not null default gen_random_uuid(),
  template_id uuid not null,
  version integer not null constraint template_versions__version_check check (version > 0),
  variables jsonb not null,
  samples jsonb not null,
  digest bytea not null,
  revision integer not null default 1,
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  published_at timestamptz,
  constraint template_versions__pkey primary key (tenant_id, id),
  constraint template_versions__template_fkey foreign key (tenant_id, template_id) references templates (tenant_id, id)
    on update cascade on delete cascade,
  constraint template_versions__version_unique unique (tenant_id, template_id, version)
);
create unique index template_versions__draft on template_versions (tenant_id, template_id) where published_at is null;
comment on table template_versions is 'Versions of a template. A published version never changes; one draft exists at most.';
comment on column template_versions.digest is 'SHA-256 of the sources.';
comment on column template_versions.revision is 'Increases with every change of the draft: the entity tag.';

create table template_contents (
  tenant_id uuid not null default nullif(current_setting('app.tenant_id', true), '')::uuid
    constraint template_contents__tenant_fkey references tenants (id) on update cascade,
  id uuid not null default gen_random_uuid(),
  version_id uuid not null,
  channel text not null
    constraint template_contents__channel_check check (channel in ('email', 'sms', 'push', 'whatsapp', 'in_app')),
  locale text not null,
  subject text,
  source text not null,
  html text,
  text text not null,
  whatsapp_name text,
  constraint template_contents__pkey primary key (tenant_id, id),
  constraint template_contents__version_fkey foreign key (tenant_id, version_id) references template_versions (tenant_id, id)
    on update cascade on delete cascade,
  constraint template_contents__place_unique unique (tenant_id, version_id, channel, locale)
);
comment on table template_contents is 'What a version says on a channel in a language.';
comment on column template_contents.html is 'Compiled from source at publish; null on channels without HTML.';
comment on column template_contents.whatsapp_name is 'The name of the template that the vendor approved.';

create table platform_providers (
  id uuid not null default gen_random_uuid() constraint platform_providers__pkey primary key,
  channel text not null constraint platform_providers__channel_check check (channel in ('email', 'sms', 'push', 'whatsapp')),
  kind text not null,
  name text not null constraint platform_providers__name_check check (length(name) between 1 and 60),
  base_url text,
  credentials_key_id text not null,
  credentials bytea not null,
  weight integer not null constraint platform_providers__weight_check check (weight between 0 and 100),
  resting_weight integer not null constraint platform_providers__resting_check check (resting_weight between 0 and 100),
  weighed_at timestamptz,
  per_second integer not null constraint platform_providers__pace_check check (per_second between 1 and 10000),
  paced_at timestamptz,
  bulk_paced_at timestamptz,
  in_flight_max integer not null constraint platform_providers__flight_check check (in_flight_max between 1 and 1000),
  webhook_token_hash bytea,
  enabled boolean not null,
  degraded_at timestamptz,
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint platform_providers__name_unique unique (channel, name)
);
comment on table platform_providers is 'Accounts of the platform at providers, for every tenant without its own. Columns as in providers.';

create table providers (
  tenant_id uuid not null constraint providers__tenant_fkey references tenants (id) on update cascade,
  id uuid not null default gen_random_uuid(),
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
  bulk_paced_at timestamptz,
  in_flight_max integer not null constraint providers__flight_check check (in_flight_max between 1 and 1000),
  webhook_token_hash bytea,
  enabled boolean not null,
  degraded_at timestamptz,
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  from_address text,
  constraint providers__pkey primary key (tenant_id, id),
  constraint providers__from_check check ((from_address is not null) = (channel = 'email')),
  constraint providers__name_unique unique (tenant_id, channel, name)
);
create index providers__id on providers (id);
comment on table providers is 'Accounts of tenants at providers.';
comment on column providers.credentials is 'Encrypted; read by functions only.';
comment on column providers.weight is 'The share of messages that it gets; moves with its errors and returns to resting_weight.';
comment on column providers.paced_at is 'Until when its pace is used up, by the database''s clock: calls are taken in batches.';
comment on column providers.bulk_paced_at is 'Until when the 80 % of its pace that bulk messages may have are used up.';
comment on column providers.from_address is 'The sender''s address of mails through it. Those through the platform''s have the platform''s.';

create view every_provider with (security_invoker = true) as
  select tenant_id, id, channel, kind, name, base_url, from_address, weight, resting_weight, weighed_at, per_second, in_flight_max,
         enabled, degraded_at, created_at
    from providers
  union all
  select null, id, channel, kind, name, base_url, null, weight, resting_weight, weighed_at, per_second, in_flight_max,
         enabled, degraded_at, created_at
    from platform_providers;
comment on view every_provider is 'Providers of tenants that the reader may see, and of the platform (tenant_id is null), without secrets.';

create table provider_minutes (
  provider_id uuid not null,
  minute timestamptz not null,
  sent integer not null,
  errors integer not null,
  slow integer not null,
  constraint provider_minutes__pkey primary key (provider_id, minute)
);
comment on table provider_minutes is 'How a provider of a tenant or of the platform did, by the minute; kept for a day. Functions read it.';
comment on column provider_minutes.slow is 'How many of a minute''s messages took more than five minutes from due to accepted.';

create table provider_reports (
  id uuid not null default gen_random_uuid() constraint provider_reports__pkey primary key,
  provider_id uuid not null,
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
comment on table provider_reports is 'What providers said after they accepted a message: stored before the webhook is answered, applied by a job. Functions read it.';
comment on column provider_reports.event_key is 'SHA-256 of the provider''s id of the report: a repeated one changes nothing.';

create table suppressions (
  id uuid not null default gen_random_uuid(),
  tenant_id uuid not null constraint suppressions__tenant_fkey references tenants (id) on update cascade,
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
  constraint suppressions__pkey primary key (tenant_id, id),
  constraint suppressions__address_unique unique nulls not distinct (tenant_id, channel, address_key, category)
);
create index suppressions__expiry on suppressions (expires_at) where expires_at is not null;
create index suppressions__newest on suppressions (tenant_id, created_at desc, id desc);
comment on table suppressions is 'Addresses that get nothing. Found by the address key; the address itself is not stored.';
comment on column suppressions.category is 'Null: every category.';

create table platform_suppressions (
  id uuid not null default gen_random_uuid() constraint platform_suppressions__pkey primary key,
  channel text not null
    constraint platform_suppressions__channel_check check (channel in ('email', 'sms', 'push', 'whatsapp', 'in_app')),
  address_key_id text not null,
  address_key bytea not null,
  address_masked text not null,
  category text,
  reason text not null
    constraint platform_suppressions__reason_check check (reason in ('bounce', 'complaint', 'unsubscribe', 'invalid', 'manual')),
  expires_at timestamptz,
  created_by text,
  created_at timestamptz not null,
  constraint platform_suppressions__address_unique unique nulls not distinct (channel, address_key, category)
);
create index platform_suppressions__expiry on platform_suppressions (expires_at) where expires_at is not null;
comment on table platform_suppressions is 'Addresses that get nothing from any tenant: after a hard bounce through a provider of the platform, or by the platform owner. The columns are those of suppressions.';

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
  account_locale text,
  locale text,
  time_zone text,
  quiet_from time,
  quiet_until time,
  version bigint not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint recipients__pkey primary key (tenant_id, id),
  constraint recipients__quiet_check check ((quiet_from is null) = (quiet_until is null))
);
create index recipients__person on recipients (id);
create index recipients__email on recipients (tenant_id, email_address_key);
comment on table recipients is 'People of a tenant who may get messages, copied from the sign-on service''s events (spec §6).';
comment on column recipients.id is 'The user''s id at the sign-on service.';
comment on column recipients.account_locale is 'The language of the person''s account, from the sign-on service''s events.';
comment on column recipients.locale is 'The language that the person chose for messages of the tenant; null: that of their account, else the tenant''s.';
comment on column recipients.version is 'Of the last event that was applied; an older one is ignored.';

create table erased_people (
  id uuid not null constraint erased_people__pkey primary key,
  erased_at timestamptz not null,
  done_at timestamptz
);
create index erased_people__open on erased_people (id) where done_at is null;
comment on table erased_people is 'People who were erased: an event that is delivered late makes no recipient of them again.';
comment on column erased_people.done_at is 'When the last row about the person was erased, in every tenant.';
create table tenant_branding (
  tenant_id uuid not null constraint tenant_branding__pkey primary key
    constraint tenant_branding__tenant_fkey references tenants (id) on update cascade,
  logo_url text,
  colour text,
  version bigint not null
);
comment on table tenant_branding is 'Logo and colour of a tenant, copied from the sign-on service''s events.';
create table link_mails (
  event_id uuid not null constraint link_mails__pkey primary key,
  template text not null,
  about_tenant_id uuid,
  data_key_id text not null,
  data bytea not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  user_id uuid
);
create index link_mails__old on link_mails (created_at);
comment on table link_mails is 'Events of the sign-on that become a mail: a job accepts it as a message of the platform and removes the row.';
comment on column link_mails.data is 'Address, link id and variables, encrypted.';
comment on column link_mails.user_id is 'The person of the link, if the event names one.';
grant select, insert, delete on link_mails to lango_app;
grant select on link_mails to lango_platform;
grant select, delete on link_mails to lango_lookup;

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
create index contact_points__device on contact_points (address_key) where channel = 'push';
comment on table contact_points is 'Further addresses of a person: phones, other e-mail addresses, and devices (channel push).';
comment on column contact_points.platform is 'Of a device: android, ios or web.';

create table platform_preferences (
  category text not null,
  channel text not null
    constraint platform_preferences__channel_check check (channel in ('email', 'sms', 'push', 'whatsapp', 'in_app')),
  is_on boolean not null,
  updated_at timestamptz not null,
  constraint platform_preferences__pkey primary key (category, channel)
);
comment on table platform_preferences is 'Which categories are on by default for every tenant; what is not listed is on.';

create table preferences (
  id uuid not null default gen_random_uuid(),
  tenant_id uuid not null constraint preferences__tenant_fkey references tenants (id) on update cascade,
  user_id uuid,
  category text not null,
  channel text not null
    constraint preferences__channel_check check (channel in ('email', 'sms', 'push', 'whatsapp', 'in_app')),
  is_on boolean not null,
  updated_at timestamptz not null,
  constraint preferences__pkey primary key (tenant_id, id),
  constraint preferences__place_unique unique nulls not distinct (tenant_id, user_id, category, channel)
);
comment on table preferences is 'Which categories a person wants on which channel, and the defaults of tenants.';
comment on column preferences.user_id is 'Null: the tenant''s default.';

create table messages (
  tenant_id uuid not null constraint messages__tenant_fkey references tenants (id) on update cascade,
  id uuid not null,
  source text not null constraint messages__source_check check (source in ('rest', 'event', 'digest', 'resend', 'test')),
  channel text not null
    constraint messages__channel_check check (channel in ('email', 'sms', 'push', 'whatsapp', 'in_app')),
  class text not null constraint messages__class_check check (class in ('urgent', 'normal', 'bulk')),
  category text not null,
  template text not null,
  template_version_id uuid,
  platform_version_id uuid constraint messages__platform_version_fkey references platform_template_versions (id),
  data_key_id text,
  data bytea,
  has_secret boolean not null,
  labels jsonb not null,
  outlet_id uuid,
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
  purged_at timestamptz,
  constraint messages__pkey primary key (tenant_id, id),
  constraint messages__version_check
    check (num_nonnulls(template_version_id, platform_version_id) = case source when 'test' then 0 else 1 end),
  constraint messages__version_fkey foreign key (tenant_id, template_version_id) references template_versions (tenant_id, id)
    on update cascade deferrable,
  constraint messages__outlet_fkey foreign key (tenant_id, outlet_id) references outlets (tenant_id, id) on update cascade deferrable
);

create index messages__outlet on messages (tenant_id, outlet_id, created_at desc) where outlet_id is not null;
create index messages__purge on messages (tenant_id, id) where purged_at is null;
create index messages__version on messages (tenant_id, template_version_id) where template_version_id is not null;
create index messages__platform_version on messages (platform_version_id) where platform_version_id is not null;
create index messages__tests on messages (tenant_id, caller_id, created_at) where source = 'test';
create index messages__resends on messages (tenant_id, resend_of) where resend_of is not null;
comment on table messages is 'Accepted requests. The id is the requestId.';
comment on column messages.data is 'Variables and metadata, encrypted; null once they are purged.';
comment on column messages.template_version_id is 'Of the tenant''s own template; null: platform_version_id says which version of the platform. A test has neither: its draft is in data.';
comment on column messages.about_tenant_id is 'The tenant that a message of the platform is about.';
comment on column messages.is_exempt is 'A message of the platform: exempt from gate, daily limit and credit.';
comment on column messages.pending is 'Deliveries that are neither sent nor final.';
comment on column messages.purged_at is 'When its data and the addresses of its deliveries were purged.';

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
  tries integer not null default 0,
  due_at timestamptz not null,
  expires_at timestamptz not null,
  lease_until timestamptz,
  called_at timestamptz,
  text_key bytea,
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
create index message_deliveries__metered on message_deliveries (tenant_id, sent_at)
  where channel in ('sms', 'whatsapp') and sent_at is not null;
create index message_deliveries__address on message_deliveries (tenant_id, address_key, created_at desc);
create index message_deliveries__user on message_deliveries (tenant_id, user_id, created_at desc) where user_id is not null;
create index message_deliveries__ended on message_deliveries (tenant_id, final_at, id)
  where status in ('failed', 'dead', 'expired', 'undelivered', 'bounced', 'cancelled', 'skipped_preference', 'skipped_no_credit',
    'skipped_no_subscription', 'skipped_limit');
comment on table message_deliveries is 'A message to one address, and how far it is.';
comment on column message_deliveries.address is 'Encrypted; null once it is purged.';
comment on column message_deliveries.rank is 'Reports only raise it: sent 1, undelivered 2, delivered 3, bounced 4, read 5.';
comment on column message_deliveries.attempt is 'Increases with every claim: a process that lost its lease changes nothing.';
comment on column message_deliveries.failures is 'Answered failures; a provider that could not be reached does not count.';
comment on column message_deliveries.tries is 'Failures and tries that reached no provider: each lengthens the delay before the next one. Postponed claims and lost leases do not count.';
comment on column message_deliveries.called_at is 'Of sms and whatsapp: written before the call. Null: the provider was certainly not called in this attempt.';
comment on column message_deliveries.text_key is 'HMAC of the phone and the text of the call: by it a message is recognized at the provider. Null if the text is not known, or once the address is purged.';

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
  limit_reached_at timestamptz,
  reported integer not null default 0,
  new_recipients integer not null default 0,
  trial_limit_reached_at timestamptz,
  constraint send_days__pkey primary key (tenant_id, day)
);
comment on table send_days is 'E-mails by the day on which they are sent, in the tenant''s time zone: counted against max_emails_per_day.';
comment on column send_days.reported is 'How many of them were put into usage reports.';
comment on column send_days.limit_reached_at is 'When a message was first skipped because the day is full: the event is published once.';
comment on column send_days.new_recipients is 'During the trial: addresses of this day, on every channel, to which no earlier delivery was queued.';
comment on column send_days.trial_limit_reached_at is 'When a message was first skipped or refused because of too many new recipients: the event is published once.';

create table usage_reports (
  tenant_id uuid not null constraint usage_reports__tenant_fkey references tenants (id) on update cascade,
  id uuid not null default gen_random_uuid(),
  metric text not null,
  value bigint not null,
  at timestamptz not null,
  constraint usage_reports__pkey primary key (tenant_id, id)
);
comment on table usage_reports is 'Usage that the subscription service has not confirmed: it counts each id once.';

create table usage_positions (
  tenant_id uuid not null constraint usage_positions__pkey primary key
    constraint usage_positions__tenant_fkey references tenants (id) on update cascade,
  counted_until timestamptz not null
);
comment on table usage_positions is 'Until when the sent SMS segments and WhatsApp messages of a tenant are counted.';

create table channel_buckets (
  tenant_id uuid not null constraint channel_buckets__tenant_fkey references tenants (id) on update cascade,
  channel text not null,
  tokens double precision not null,
  refilled_at timestamptz not null,
  constraint channel_buckets__pkey primary key (tenant_id, channel)
);
comment on table channel_buckets is 'Token buckets of the limits by channel.';

create table platform_limits (
  channel text not null constraint platform_limits__pkey primary key
    constraint platform_limits__channel_check check (channel in ('email', 'sms', 'push', 'whatsapp', 'in_app')),
  per_minute integer not null constraint platform_limits__rate_check check (per_minute between 1 and 1000000),
  burst integer not null constraint platform_limits__burst_check check (burst between 1 and 1000000),
  set_by text not null,
  set_at timestamptz not null
);
comment on table platform_limits is 'Recipients per minute and at once, by channel: the default for every tenant without its own.';
insert into platform_limits (channel, per_minute, burst, set_by, set_at)
values ('email', 600, 2000, 'migration', now()), ('sms', 300, 2000, 'migration', now()), ('whatsapp', 300, 2000, 'migration', now()),
       ('push', 6000, 6000, 'migration', now()), ('in_app', 6000, 6000, 'migration', now());

create table limits (
  tenant_id uuid not null constraint limits__tenant_fkey references tenants (id) on update cascade,
  channel text not null
    constraint limits__channel_check check (channel in ('email', 'sms', 'push', 'whatsapp', 'in_app')),
  per_minute integer not null constraint limits__rate_check check (per_minute between 1 and 1000000),
  burst integer not null constraint limits__burst_check check (burst between 1 and 1000000),
  set_by text not null,
  set_at timestamptz not null,
  ceiling_per_minute integer,
  ceiling_burst integer,
  constraint limits__pkey primary key (tenant_id, channel)
);
comment on table limits is 'Limits that a tenant has instead of those of the platform.';
comment on column limits.ceiling_per_minute is 'Set by the platform owner: the most that the tenant may choose. Null: the platform''s default.';

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
  request_key text,
  constraint credit_entries__pkey primary key (tenant_id, id),
  constraint credit_entries__delivery_unique unique (tenant_id, delivery_id, kind),
  constraint credit_entries__payment_unique unique (tenant_id, payment_id),
  constraint credit_entries__request_unique unique (tenant_id, made_by, request_key)
);
create index credit_entries__newest on credit_entries (tenant_id, at desc, id desc);
comment on table credit_entries is 'Every change of a credit account, with the account after it; rows are only added.';
comment on column credit_entries.request_key is 'The Idempotency-Key of a grant: the same grant is made once.';

create table credit_packs (
  code text not null constraint credit_packs__pkey primary key
    constraint credit_packs__code_check check (code ~ '^[a-z][a-z0-9_]{0,59}$'),
  segments bigint not null constraint credit_packs__segments_check check (segments between 1 and 10000000),
  price_minor bigint not null constraint credit_packs__price_check check (price_minor > 0),
  currency text not null constraint credit_packs__currency_check check (currency ~ '^[A-Z]{3}$'),
  is_on_sale boolean not null,
  updated_at timestamptz not null
);
comment on table credit_packs is 'Packs of SMS segments that tenants can buy: the platform''s, one row for each size and currency.';

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

alter table usage_reports enable row level security;
alter table usage_reports force row level security;
create policy usage_reports__tenant on usage_reports using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy usage_reports__platform on usage_reports for select to lango_platform using (true);

alter table usage_positions enable row level security;
alter table usage_positions force row level security;
create policy usage_positions__tenant on usage_positions using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy usage_positions__platform on usage_positions for select to lango_platform using (true);

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
create policy templates__platform on templates for select to lango_platform using (true);

alter table template_versions enable row level security;
alter table template_versions force row level security;
create policy template_versions__tenant on template_versions using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy template_versions__platform on template_versions for select to lango_platform using (true);

alter table template_contents enable row level security;
alter table template_contents force row level security;
create policy template_contents__tenant on template_contents using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy template_contents__platform on template_contents for select to lango_platform using (true);

alter table providers enable row level security;
alter table providers force row level security;
create policy providers__tenant on providers using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy providers__lookup on providers to lango_lookup using (true);
create policy providers__platform on providers for select to lango_platform using (true);

alter table preferences enable row level security;
alter table preferences force row level security;
create policy preferences__tenant on preferences using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy preferences__lookup on preferences for select to lango_lookup using (true);
create policy preferences__platform on preferences for select to lango_platform using (true);

alter table limits enable row level security;
alter table limits force row level security;
create policy limits__tenant on limits using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy limits__lookup on limits to lango_lookup using (true);
create policy limits__platform on limits for select to lango_platform using (true);

alter table suppressions enable row level security;
alter table suppressions force row level security;
create policy suppressions__tenant on suppressions using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy suppressions__lookup on suppressions to lango_lookup using (true);
create policy suppressions__platform on suppressions for select to lango_platform using (true);

-- A list that may name both tables shows none of these rows to a tenant.
alter table platform_suppressions enable row level security;
alter table platform_suppressions force row level security;
create policy platform_suppressions__lookup on platform_suppressions to lango_lookup using (true);
create policy platform_suppressions__platform on platform_suppressions for select to lango_platform using (true);
grant select on platform_suppressions to lango_app, lango_platform;
grant select, insert, update, delete on platform_suppressions to lango_lookup;

grant select on platform_templates, platform_template_versions, platform_template_contents to lango_app, lango_platform;
grant select, insert, update, delete on platform_templates, platform_template_versions, platform_template_contents to lango_lookup;
grant select, insert, update, delete on templates, template_versions, template_contents, recipients, contact_points,
  preferences, messages, message_deliveries, lanes, send_days, channel_buckets, limits, idempotency_keys, credit_balances to lango_app;
grant select, insert, delete on delivery_events to lango_app;
grant select, insert on credit_entries to lango_app;
grant select, insert, update on credit_packs to lango_app;
grant select on credit_packs, platform_limits, platform_preferences to lango_platform;
grant select on platform_limits, platform_preferences to lango_app;
grant select on every_provider to lango_app, lango_platform, lango_lookup;
grant select (tenant_id, id, channel, kind, name, base_url, from_address, weight, resting_weight, weighed_at, per_second, in_flight_max,
  enabled, degraded_at, created_at) on providers to lango_app, lango_platform;
grant select (id, channel, kind, name, base_url, weight, resting_weight, weighed_at, per_second, in_flight_max, enabled, degraded_at,
  created_at) on platform_providers to lango_app, lango_platform;
grant select, insert, update, delete on suppressions to lango_app;
grant select on templates, template_versions, template_contents, recipients, contact_points, preferences, messages, message_deliveries,
  delivery_events, lanes, send_days, channel_buckets, limits, idempotency_keys, credit_balances, credit_entries,
  suppressions to lango_platform;
grant select, insert, update, delete on templates, template_versions, template_contents, platform_providers, providers,
  provider_minutes, provider_reports, suppressions, platform_preferences to lango_lookup;
grant select on preferences to lango_lookup;
grant select, update on limits, platform_limits to lango_lookup;
grant select on lanes, message_deliveries, recipients, tenants to lango_lookup;
create policy lanes__lookup on lanes for select to lango_lookup using (true);
create policy message_deliveries__lookup on message_deliveries for select to lango_lookup using (true);
create policy recipients__lookup on recipients for select to lango_lookup using (true);

-- The suppressions of these addresses: the tenant's, and those of every tenant.
create function list_suppressed(p_tenant uuid, p_channel text, p_keys bytea[], p_now timestamptz)
returns table (address_key bytea, category text, reason text)
language plpgsql stable security definer
set search_path = public, pg_temp
as $$
begin
  return query
    select s.address_key, s.category, s.reason from suppressions s
     where s.tenant_id = p_tenant and s.channel = p_channel and s.address_key = any (p_keys)
       and (s.expires_at is null or s.expires_at > p_now);
  return query
    select s.address_key, s.category, s.reason from platform_suppressions s
     where s.channel = p_channel and s.address_key = any (p_keys) and (s.expires_at is null or s.expires_at > p_now);
end
$$;
alter function list_suppressed(uuid, text, bytea[], timestamptz) owner to lango_lookup;
revoke execute on function list_suppressed(uuid, text, bytea[], timestamptz) from public;
grant execute on function list_suppressed(uuid, text, bytea[], timestamptz) to lango_app;

-- Suppressions of an address for every tenant, as a tenant may see them: without their origin.
create function find_platform_suppressions(p_channel text, p_keys bytea[], p_now timestamptz)
returns table (id uuid, channel text, address_masked text, category text, reason text, expires_at timestamptz, created_at timestamptz)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select s.id, s.channel, s.address_masked, s.category, s.reason, s.expires_at, s.created_at
    from platform_suppressions s
   where s.channel = p_channel and s.address_key = any (p_keys) and (s.expires_at is null or s.expires_at > p_now)
$$;
alter function find_platform_suppressions(text, bytea[], timestamptz) owner to lango_lookup;
revoke execute on function find_platform_suppressions(text, bytea[], timestamptz) from public;
grant execute on function find_platform_suppressions(text, bytea[], timestamptz) to lango_app;

-- Whether a suppression is one of every tenant.
create function is_platform_suppression(p_id uuid)
returns boolean
language sql stable security definer
set search_path = public, pg_temp
as $$
  select exists (select from platform_suppressions s where s.id = p_id)
$$;
alter function is_platform_suppression(uuid) owner to lango_lookup;
revoke execute on function is_platform_suppression(uuid) from public;
grant execute on function is_platform_suppression(uuid) to lango_app;

-- Suppresses an address for every tenant. Returns no row if it is suppressed already. Called for the platform owner.
create function add_platform_suppression(p_suppression jsonb, p_now timestamptz)
returns table (id uuid)
language sql security definer
set search_path = public, pg_temp
as $$
  insert into platform_suppressions as s (channel, address_key_id, address_key, address_masked, category, reason, created_by, created_at)
  values (p_suppression->>'channel', p_suppression->>'key_id', decode(p_suppression->>'key', 'hex'), p_suppression->>'masked',
    p_suppression->>'category', p_suppression->>'reason', p_suppression->>'created_by', p_now)
  on conflict on constraint platform_suppressions__address_unique do update
     set reason = case when s.expires_at <= p_now then excluded.reason else s.reason end, expires_at = null,
         created_by = excluded.created_by, created_at = excluded.created_at
   where s.expires_at is not null
  returning s.id
$$;
alter function add_platform_suppression(jsonb, timestamptz) owner to lango_lookup;
revoke execute on function add_platform_suppression(jsonb, timestamptz) from public;
grant execute on function add_platform_suppression(jsonb, timestamptz) to lango_app;

-- Lifts a suppression of every tenant. Returns whether it existed. Called for the platform owner.
create function lift_platform_suppression(p_id uuid)
returns boolean
language sql security definer
set search_path = public, pg_temp
as $$
  with lifted as (delete from platform_suppressions s where s.id = p_id returning s.id)
  select exists (select from lifted)
$$;
alter function lift_platform_suppression(uuid) owner to lango_lookup;
revoke execute on function lift_platform_suppression(uuid) from public;
grant execute on function lift_platform_suppression(uuid) to lango_app;

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

grant select, insert, update, delete on contact_points to lango_lookup;
create policy contact_points__lookup on contact_points to lango_lookup using (true);

-- The people whose deliveries these are, by user or by verified address: whether they want the category on the channel (their own
-- choice, else the tenant's, else the platform's), and their quiet hours. Deliveries to other addresses are left out.
create function people_of_deliveries(p_tenant uuid, p_channel text, p_category text, p_deliveries jsonb)
returns table (id text, user_id uuid, is_on boolean, time_zone text, quiet_from time, quiet_until time)
language plpgsql stable security definer
set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan
as $$
declare
  v_zone text;
  v_default boolean;
begin
  select t.time_zone into v_zone from tenants t where t.id = p_tenant;
  select d.is_on into v_default from platform_preferences d where d.category = p_category and d.channel = p_channel;
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
            where p.tenant_id = p_tenant and p.category = p_category and p.channel = p_channel
              and (p.user_id = person.user_id or p.user_id is null)
            order by p.user_id is null limit 1), v_default, true),
         coalesce(person.time_zone, v_zone), person.quiet_from, person.quiet_until
    from person;
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
  delete from platform_preferences p
   where not exists (select from jsonb_to_recordset(p_choices) as c (category text, channel text)
                     where (c.category, c.channel) = (p.category, p.channel));
  insert into platform_preferences (category, channel, is_on, updated_at)
  select c.category, c.channel, c.is_on, p_now
    from jsonb_to_recordset(p_choices) as c (category text, channel text, is_on boolean)
  on conflict on constraint platform_preferences__pkey do update set is_on = excluded.is_on, updated_at = excluded.updated_at;
$$;
alter function set_platform_preferences(jsonb, timestamptz) owner to lango_lookup;
revoke execute on function set_platform_preferences(jsonb, timestamptz) from public;
grant execute on function set_platform_preferences(jsonb, timestamptz) to lango_app;

-- Sets the platform's default of a channel; `lower_limits` must follow. Called for the platform owner.
create function set_platform_limit(p_channel text, p_per_minute integer, p_burst integer, p_by text, p_now timestamptz)
returns void
language sql security definer
set search_path = public, pg_temp
as $$
  update platform_limits l set per_minute = p_per_minute, burst = p_burst, set_by = p_by, set_at = p_now where l.channel = p_channel
$$;
alter function set_platform_limit(text, integer, integer, text, timestamptz) owner to lango_lookup;
revoke execute on function set_platform_limit(text, integer, integer, text, timestamptz) from public;
grant execute on function set_platform_limit(text, integer, integer, text, timestamptz) to lango_app;

-- Lowers the limits of tenants that chose more to the platform's defaults, except where the platform owner gave the tenant a ceiling.
-- Call it in a transaction of its own: on a cluster the look-up role cannot change rows beside those that the service's role changed.
create function lower_limits()
returns void
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  v_limit record;
begin
  for v_limit in select p.channel, p.per_minute, p.burst from platform_limits p order by p.channel loop
    update limits l set per_minute = least(l.per_minute, v_limit.per_minute), burst = least(l.burst, v_limit.burst)
     where l.channel = v_limit.channel and l.ceiling_per_minute is null
       and (l.per_minute > v_limit.per_minute or l.burst > v_limit.burst);
  end loop;
end
$$;
alter function lower_limits() owner to lango_lookup;
revoke execute on function lower_limits() from public;
grant execute on function lower_limits() to lango_app;

-- Registers a device of a person of the tenant. It belongs to the last person who registered it, so it is taken from every other
-- person, in every tenant. Registering it again makes it the newest; of more than p_max the oldest is removed. Until the end of the
-- transaction no other call registers it.
create function register_device(p_tenant uuid, p_user uuid, p_device jsonb, p_max integer, p_now timestamptz)
returns table (id uuid, platform text, address_masked text, created_at timestamptz)
language plpgsql security definer
set search_path = public, pg_temp
as $$
#variable_conflict use_column
declare
  v_keys constant bytea[] := array(select decode(k, 'hex') from jsonb_array_elements_text(p_device->'keys') k);
begin
  perform pg_advisory_xact_lock(hashtextextended('device ' || encode(v_keys[1], 'hex'), 0));
  delete from contact_points c where c.channel = 'push' and c.address_key = any (v_keys) and c.user_id <> p_user;
  -- From before a rotation of keys: the row would be a second one.
  delete from contact_points c
   where c.tenant_id = p_tenant and c.user_id = p_user and c.channel = 'push' and c.address_key = any (v_keys[2:]);
  return query
    insert into contact_points as c (tenant_id, user_id, channel, platform, address_key_id, address, address_key, address_masked,
      created_at)
    values (p_tenant, p_user, 'push', p_device->>'platform', p_device->>'key_id', decode(p_device->>'address', 'hex'), v_keys[1],
      p_device->>'masked', p_now)
    on conflict on constraint contact_points__address_unique do update
       set platform = excluded.platform, invalid_at = null, created_at = excluded.created_at
    returning c.id, c.platform, c.address_masked, c.created_at;
  delete from contact_points c
   where c.tenant_id = p_tenant and c.user_id = p_user and c.channel = 'push' and c.id not in (
     select n.id from contact_points n where n.tenant_id = p_tenant and n.user_id = p_user and n.channel = 'push'
      order by n.created_at desc, n.id desc limit p_max);
end
$$;
alter function register_device(uuid, uuid, jsonb, integer, timestamptz) owner to lango_lookup;
revoke execute on function register_device(uuid, uuid, jsonb, integer, timestamptz) from public;
grant execute on function register_device(uuid, uuid, jsonb, integer, timestamptz) to lango_app;

-- Records a message with its deliveries: deduplicates it, and decides which deliveries are queued and which are skipped. A key that
-- was used for another request is raised as LN001. p_rules has the people of the deliveries if they are those of another tenant.
-- `admit_message` must follow in the same transaction. Call it inside the tenant.
create function record_message(p_tenant uuid, p_message jsonb, p_deliveries jsonb, p_rules jsonb, p_now timestamptz)
returns table (message_id uuid, is_replayed boolean, pending integer, counts jsonb)
language plpgsql
set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan
as $$
declare
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
     where k.tenant_id = p_tenant and k.caller = p_rules->>'caller' and k.expires_at > p_now
       and k.key_hash in (select decode(other, 'hex') from jsonb_array_elements_text(p_rules->'older_key_hashes') other);
    if not found then
      insert into idempotency_keys as k (tenant_id, caller, key_hash, body_hmac, message_id, expires_at)
      values (p_tenant, p_rules->>'caller', decode(p_rules->>'key_hash', 'hex'), decode(p_rules->'body_hmacs'->>0, 'hex'), v_id,
              p_now + interval '24 hours')
      on conflict on constraint idempotency_keys__pkey do update
         set message_id = excluded.message_id, body_hmac = excluded.body_hmac, expires_at = excluded.expires_at
       where k.expires_at <= p_now;
      if not found then
        select k.message_id, k.body_hmac into v_earlier from idempotency_keys k
         where k.tenant_id = p_tenant and k.caller = p_rules->>'caller' and k.key_hash = decode(p_rules->>'key_hash', 'hex');
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
    from list_suppressed(p_tenant, v_channel, (
           select array_agg(decode(key, 'hex'))
             from jsonb_array_elements(p_deliveries) one, jsonb_array_elements_text(one->'keys') key), p_now) s
   where (s.category is null or s.category = p_message->>'category')
     and (not v_is_critical or s.reason in ('bounce', 'invalid'));
  if p_rules ? 'people' then
    v_people := p_rules->'people';
  elsif not v_is_critical then
    select jsonb_object_agg(p.id, to_jsonb(p)) into v_people
      from people_of_deliveries(p_tenant, v_channel, p_message->>'category', p_deliveries) p;
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

  insert into messages (tenant_id, id, source, channel, class, category, template, template_version_id, platform_version_id,
    data_key_id, data, has_secret, labels, outlet_id, locale, provider, send_at, expires_at, caller_kind, caller_id, about_tenant_id, run_id,
    resend_of, is_exempt, wants_delivery_events, recipients, pending, created_at)
  values (p_tenant, v_id, p_message->>'source', v_channel, v_class, p_message->>'category', p_message->>'template',
    (p_message->>'template_version_id')::uuid, (p_message->>'platform_version_id')::uuid, p_message->>'data_key_id', decode(p_message->>'data', 'hex'),
    (p_message->>'has_secret')::boolean, p_message->'labels', (p_message->>'outlet_id')::uuid, p_message->>'locale',
    p_message->>'provider', v_send_at, (p_message->>'expires_at')::timestamptz, p_message->>'caller_kind',
    p_message->>'caller_id', (p_message->>'about_tenant_id')::uuid, (p_message->>'run_id')::uuid,
    (p_message->>'resend_of')::uuid, v_is_exempt, (p_message->>'wants_delivery_events')::boolean,
    jsonb_array_length(v_rows), v_queued, p_now);
  insert into message_deliveries (tenant_id, id, message_id, position, channel, class, address_key_id, address, address_key,
    address_masked, user_id, locale, status, due_at, expires_at, segments, created_at, final_at)
  select p_tenant, (r->>'id')::uuid, v_id, (r->>'position')::integer, v_channel, v_class, r->>'address_key_id',
         decode(r->>'address', 'hex'), decode(r->'keys'->>0, 'hex'), r->>'masked', (r->>'user_id')::uuid, r->>'locale',
         r->>'status', (r->>'due_at')::timestamptz, (p_message->>'expires_at')::timestamptz
           + case when (p_rules->>'may_expire_later')::boolean then (r->>'due_at')::timestamptz - v_send_at else interval '0' end,
         (r->>'segments')::integer, p_now, case when r->>'status' <> 'queued' then p_now end
    from jsonb_array_elements(v_rows) r;
  insert into delivery_events (tenant_id, delivery_id, at, kind, detail)
  select p_tenant, (r->>'id')::uuid, p_now, 'decision', '{"decision": "quiet_hours"}'
    from jsonb_array_elements(v_rows) r where r->>'status' = 'queued' and (r->>'due_at')::timestamptz > v_send_at;

  return query
    select v_id, false, v_queued, (
      select jsonb_object_agg(c.status, c.n)
        from (select r->>'status' as status, count(*) as n from jsonb_array_elements(v_rows) r group by 1) c);
end
$$;
revoke execute on function record_message(uuid, jsonb, jsonb, jsonb, timestamptz) from public;
grant execute on function record_message(uuid, jsonb, jsonb, jsonb, timestamptz) to lango_app;

-- Counts the queued deliveries of a message to addresses to which no other delivery of the tenant was queued before, as far back as
-- deliveries are kept. p_older_keys: the keys of an address under older key-encryption keys, by the newest one. Until the end of the
-- transaction other messages of the tenant wait here, so that no address is counted twice. Call it inside the tenant.
create function count_new_recipients(p_tenant uuid, p_message uuid, p_older_keys jsonb)
returns integer
language plpgsql
set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('new recipients ' || p_tenant, 0));
  return (
    select count(*) from message_deliveries d
     where d.tenant_id = p_tenant and d.message_id = p_message and d.status = 'queued' and not exists (
       select from (select d.address_key
                    union all
                    select decode(older, 'hex')
                      from jsonb_array_elements_text(p_older_keys->encode(d.address_key, 'hex')) older) k (address_key)
         join message_deliveries e on e.tenant_id = p_tenant and e.address_key = k.address_key
        where e.message_id <> p_message
          and e.status not in ('suppressed', 'skipped_preference', 'skipped_no_credit', 'skipped_no_subscription', 'skipped_limit',
            'digested')));
end
$$;
revoke execute on function count_new_recipients(uuid, uuid, jsonb) from public;
grant execute on function count_new_recipients(uuid, uuid, jsonb) to lango_app;

-- Lets the dispatchers of all processes claim from lanes of a class that are due now. Not on a cluster, where a transaction on several
-- nodes cannot notify: there they look for due lanes by themselves.
create function wake_dispatchers(p_class text)
returns void
language plpgsql
set search_path = public, pg_temp
as $$
begin
  if not exists (select from pg_extension where extname = 'citus') then
    perform pg_notify('notifications_changed', 'due ' || p_class);
  end if;
end
$$;
revoke execute on function wake_dispatchers(text) from public;
grant execute on function wake_dispatchers(text) to lango_app;

-- Counts the queued deliveries of a recorded message against the day and the bucket, reserves credit, and wakes the lane. A refusal
-- is raised as LN002 to LN005 and undoes the message, too. Returns how many deliveries stay queued, as what the others ended, and
-- the limit of the day that was reached: daily or trial. The rows that a tenant's requests share are locked in this order: new
-- recipients, day, bucket, credit, lane. Send it with the commit where its answer is not needed, so that they are locked for a short
-- time. Call it inside the tenant.
create function admit_message(p_tenant uuid, p_message uuid, p_rules jsonb, p_now timestamptz)
returns table (pending integer, skipped text, reached text)
language plpgsql
set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_daily_limit constant integer := (p_rules->>'daily_limit')::integer;
  v_trial_limit constant integer := (p_rules->>'trial_limit')::integer;
  v_message record;
  v_queued integer;
  v_mails integer;
  v_new integer := 0;
  v_used integer;
  v_zone text;
  v_day date;
  v_limit record;
  v_tokens double precision;
  v_available bigint;
  v_reserved bigint;
  v_account record;
  v_paid jsonb;
  v_next_due_at timestamptz;
  v_skipped text;
  v_reached text;
begin
  select m.channel, m.class, m.send_at, m.is_exempt, m.pending into strict v_message from messages m
   where m.tenant_id = p_tenant and m.id = p_message;
  v_queued := v_message.pending;

  if not v_message.is_exempt and v_queued > 0 and (v_message.channel = 'email' or v_trial_limit is not null) then
    if v_trial_limit is not null then
      v_new := count_new_recipients(p_tenant, p_message, p_rules->'older_keys');
    end if;
    v_mails := case when v_message.channel = 'email' then v_queued else 0 end;
    select t.time_zone into v_zone from tenants t where t.id = p_tenant;
    v_day := (v_message.send_at at time zone v_zone)::date;
    if (v_daily_limit = -1 or v_mails = 0 or v_mails <= v_daily_limit) and (v_new = 0 or v_new <= v_trial_limit) then
      insert into send_days as s (tenant_id, day, used, new_recipients)
      values (p_tenant, v_day, v_mails, v_new)
      on conflict on constraint send_days__pkey do update set used = s.used + v_mails, new_recipients = s.new_recipients + v_new
       where (v_daily_limit = -1 or v_mails = 0 or s.used + v_mails <= v_daily_limit)
         and (v_new = 0 or s.new_recipients + v_new <= v_trial_limit)
      returning s.used into v_used;
    end if;
    if v_used is null then
      select case when v_new > 0 and v_new + coalesce(max(s.new_recipients), 0) > v_trial_limit then 'trial' else 'daily' end
        into v_reached from send_days s where s.tenant_id = p_tenant and s.day = v_day;
      if p_rules->>'over_limit' <> 'skip' then
        raise exception '%', v_reached || '_limit_reached' using
          errcode = case v_reached when 'trial' then 'LN005' else 'LN002' end,
          detail = case v_reached when 'trial' then v_trial_limit else v_daily_limit end || ' '
            || ceil(extract(epoch from (v_day + 1)::timestamp at time zone v_zone - p_now));
      end if;
      update message_deliveries d set status = 'skipped_limit', final_at = p_now
       where d.tenant_id = p_tenant and d.message_id = p_message and d.status = 'queued';
      v_skipped := 'skipped_limit';
      v_queued := 0;
    end if;
  end if;

  if not v_message.is_exempt and v_queued > 0 then
    select l.per_minute, l.burst into v_limit from limits l where l.tenant_id = p_tenant and l.channel = v_message.channel;
    if not found then
      select p.per_minute, p.burst into strict v_limit from platform_limits p where p.channel = v_message.channel;
    end if;
    if v_queued > v_limit.burst then
      raise exception 'too_many_recipients' using errcode = 'LN003', detail = v_limit.burst::text;
    end if;
    insert into channel_buckets as b (tenant_id, channel, tokens, refilled_at)
    values (p_tenant, v_message.channel, v_limit.burst - v_queued, p_now)
    on conflict on constraint channel_buckets__pkey do update
       set tokens = least(v_limit.burst, b.tokens
             + greatest(extract(epoch from p_now - b.refilled_at), 0) * v_limit.per_minute / 60.0) - v_queued,
           refilled_at = greatest(b.refilled_at, p_now)
     where least(v_limit.burst, b.tokens
             + greatest(extract(epoch from p_now - b.refilled_at), 0) * v_limit.per_minute / 60.0) >= v_queued;
    if not found then
      select least(v_limit.burst, b.tokens + greatest(extract(epoch from p_now - b.refilled_at), 0) * v_limit.per_minute / 60.0)
        into v_tokens from channel_buckets b where b.tenant_id = p_tenant and b.channel = v_message.channel;
      raise exception 'channel_limited' using errcode = 'LN004',
        detail = greatest(ceil((v_queued - v_tokens) * 60.0 / v_limit.per_minute), 1)::text;
    end if;
  end if;

  if v_message.channel = 'sms' and not v_message.is_exempt and v_queued > 0 then
    select a.balance - a.reserved into v_available from credit_balances a where a.tenant_id = p_tenant for update;
    update message_deliveries d set status = 'skipped_no_credit', final_at = p_now
      from (select o.id, sum(o.segments) over (order by o.position) as total from message_deliveries o
             where o.tenant_id = p_tenant and o.message_id = p_message and o.status = 'queued') c
     where d.tenant_id = p_tenant and d.id = c.id and c.total > coalesce(v_available, 0);
    if found then
      v_skipped := 'skipped_no_credit';
      if v_new > 0 then
        v_new := count_new_recipients(p_tenant, p_message, p_rules->'older_keys') - v_new;
        update send_days s set new_recipients = s.new_recipients + v_new where s.tenant_id = p_tenant and s.day = v_day;
      end if;
    end if;
    select count(*), coalesce(sum(d.segments), 0) into v_queued, v_reserved from message_deliveries d
     where d.tenant_id = p_tenant and d.message_id = p_message and d.status = 'queued';
    if v_reserved > 0 then
      update credit_balances a set reserved = a.reserved + v_reserved, updated_at = p_now
       where a.tenant_id = p_tenant returning a.balance, a.reserved into v_account;
      select jsonb_agg(jsonb_build_object('id', d.id, 'segments', d.segments)) into v_paid from message_deliveries d
       where d.tenant_id = p_tenant and d.message_id = p_message and d.status = 'queued';
      insert into credit_entries (tenant_id, kind, segments, delivery_id, balance, reserved, at)
      select p_tenant, 'reserve', (d->>'segments')::bigint, (d->>'id')::uuid, v_account.balance, v_account.reserved, p_now
        from jsonb_array_elements(v_paid) d;
    end if;
  end if;

  if v_queued <> v_message.pending then
    update messages m set pending = v_queued where m.tenant_id = p_tenant and m.id = p_message;
  end if;
  if v_queued > 0 then
    select l.next_due_at into v_next_due_at from lanes l
     where l.tenant_id = p_tenant and l.channel = v_message.channel and l.class = v_message.class for update;
    if v_next_due_at is null or v_next_due_at > v_message.send_at then
      insert into lanes as l (tenant_id, channel, class, next_due_at, served_at)
      values (p_tenant, v_message.channel, v_message.class, v_message.send_at, p_now)
      on conflict on constraint lanes__pkey do update
         set next_due_at = least(coalesce(l.next_due_at, v_message.send_at), v_message.send_at);
      if v_message.send_at <= p_now then perform wake_dispatchers(v_message.class); end if;
    end if;
  end if;
  return query select v_queued, v_skipped, v_reached;
end
$$;
revoke execute on function admit_message(uuid, uuid, jsonb, timestamptz) from public;
grant execute on function admit_message(uuid, uuid, jsonb, timestamptz) to lango_app;

-- Records that a message found a limit of its day reached: daily or trial. Returns the day if it is the first message for this limit.
-- Call it inside the tenant.
create function record_limit_reached(p_tenant uuid, p_limit text, p_send_at timestamptz, p_now timestamptz)
returns text
language plpgsql
set search_path = public, pg_temp
as $$
declare
  v_daily_at constant timestamptz := case when p_limit = 'daily' then p_now end;
  v_trial_at constant timestamptz := case when p_limit = 'trial' then p_now end;
  v_zone text;
  v_day date;
  v_first date;
begin
  select t.time_zone into v_zone from tenants t where t.id = p_tenant;
  v_day := (p_send_at at time zone v_zone)::date;
  if exists (
    select from send_days s where s.tenant_id = p_tenant and s.day = v_day
       and (v_daily_at is null or s.limit_reached_at is not null) and (v_trial_at is null or s.trial_limit_reached_at is not null)) then
    return null;
  end if;
  insert into send_days as s (tenant_id, day, used, limit_reached_at, trial_limit_reached_at)
  values (p_tenant, v_day, 0, v_daily_at, v_trial_at)
  on conflict on constraint send_days__pkey do update
     set limit_reached_at = coalesce(s.limit_reached_at, v_daily_at),
         trial_limit_reached_at = coalesce(s.trial_limit_reached_at, v_trial_at)
   where (v_daily_at is null or s.limit_reached_at is null) and (v_trial_at is null or s.trial_limit_reached_at is null)
  returning s.day into v_first;
  return v_first;
end
$$;
revoke execute on function record_limit_reached(uuid, text, timestamptz, timestamptz) from public;
grant execute on function record_limit_reached(uuid, text, timestamptz, timestamptz) to lango_app;

grant select, insert, delete on usage_reports to lango_app;
grant select, insert, update on usage_positions to lango_app;
grant select on usage_reports, usage_positions to lango_platform;
grant select on usage_reports, usage_positions, send_days to lango_lookup;
create policy usage_reports__lookup on usage_reports for select to lango_lookup using (true);
create policy usage_positions__lookup on usage_positions for select to lango_lookup using (true);
create policy send_days__lookup on send_days for select to lango_lookup using (true);

-- The tenants with usage that is not reported: of e-mails by the day, of SMS and WhatsApp from p_from, or from where they are
-- counted, until p_until.
create function tenants_with_usage(p_from timestamptz, p_until timestamptz, p_after uuid, p_max integer)
returns setof uuid
language plpgsql stable security definer
set search_path = public, pg_temp
as $$
declare
  v_tenant record;
  v_from timestamptz;
  v_found integer := 0;
begin
  for v_tenant in
    select t.id, (p_from at time zone t.time_zone)::date as first_day, (p_until at time zone t.time_zone)::date as last_day
      from tenants t where p_after is null or t.id > p_after order by t.id
  loop
    select greatest(max(u.counted_until), p_from) into v_from from usage_positions u where u.tenant_id = v_tenant.id;
    if exists (select from usage_reports r where r.tenant_id = v_tenant.id)
       or exists (select from send_days d
                   where d.tenant_id = v_tenant.id and d.reported <> d.used
                     and d.day between v_tenant.first_day and v_tenant.last_day)
       or exists (select from message_deliveries d
                   where d.tenant_id = v_tenant.id and d.channel in ('sms', 'whatsapp')
                     and d.sent_at >= v_from and d.sent_at < p_until) then
      return next v_tenant.id;
      v_found := v_found + 1;
      exit when v_found = p_max;
    end if;
  end loop;
end
$$;
alter function tenants_with_usage(timestamptz, timestamptz, uuid, integer) owner to lango_lookup;
revoke execute on function tenants_with_usage(timestamptz, timestamptz, uuid, integer) from public;
grant execute on function tenants_with_usage(timestamptz, timestamptz, uuid, integer) to lango_app;

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
language plpgsql stable security definer
set search_path = public, pg_temp
as $$
begin
  if exists (select from tenants t where t.id = p_tenant and t.status <> 'active') then return true; end if;
  if p_channel <> 'email' or p_class = 'urgent' then return false; end if;
  return exists (select from reputation_periods r where r.tenant_id = p_tenant and r.ended_at is null and r.state = 'paused');
end
$$;
alter function is_resting(uuid, text, text) owner to lango_lookup;
revoke execute on function is_resting(uuid, text, text) from public;
grant execute on function is_resting(uuid, text, text) to lango_app;

-- Locks the reputation of a tenant until the end of the transaction: claims of its e-mail that began earlier have ended, and later ones
-- see the change. Call it inside the tenant.
create function lock_reputation(p_tenant uuid)
returns void
language plpgsql
set search_path = public, pg_temp
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('reputation ' || p_tenant, 0));
end
$$;
revoke execute on function lock_reputation(uuid) from public;
grant execute on function lock_reputation(uuid) to lango_app;

-- Deliveries of resting lanes that have expired, of every tenant, at most p_max: among the first thousand of each lane.
create function list_expired_at_rest(p_now timestamptz, p_max integer)
returns table (tenant_id uuid, id uuid)
language plpgsql stable security definer
set search_path = public, pg_temp
as $$
declare
  v_lane record;
  v_room integer := p_max;
  v_found integer;
begin
  for v_lane in
    select l.tenant_id, l.channel, l.class
      from lanes l join tenants t on t.id = l.tenant_id
      left join reputation_periods r on r.tenant_id = l.tenant_id and r.ended_at is null
     where l.next_due_at <= p_now
       and (t.status <> 'active' or l.channel = 'email' and l.class <> 'urgent' and r.state = 'paused')
     order by l.tenant_id
  loop
    return query
      select w.tenant_id, w.id from message_deliveries w
       where w.tenant_id = v_lane.tenant_id and w.channel = v_lane.channel and w.class = v_lane.class and w.status = 'queued'
         and w.due_at <= p_now and w.expires_at <= p_now
       order by w.due_at limit least(v_room, 1000);
    get diagnostics v_found = row_count;
    v_room := v_room - v_found;
    exit when v_room = 0;
  end loop;
end
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
create function due_lanes(p_class text, p_max integer, p_now timestamptz)
returns table (tenant_id uuid, channel text)
language plpgsql stable security definer
set search_path = public, pg_temp
as $$
begin
  return query
    select l.tenant_id, l.channel from lanes l join tenants t on t.id = l.tenant_id
     where l.class = p_class and l.next_due_at <= p_now and t.status = 'active'
       and not (p_class <> 'urgent' and l.channel = 'email' and exists (
         select from reputation_periods r where r.tenant_id = l.tenant_id and r.ended_at is null and r.state = 'paused'))
     order by l.served_at limit p_max;
end
$$;
alter function due_lanes(text, integer, timestamptz) owner to lango_lookup;
revoke execute on function due_lanes(text, integer, timestamptz) from public;
grant execute on function due_lanes(text, integer, timestamptz) to lango_app;

-- Claims due deliveries of a lane. Each is leased, and returned with a verdict: send, expired or suppressed. Those in quiet hours of
-- their person are moved to the end, except tests. The lane is locked first, so that a message that is accepted meanwhile is seen,
-- or sets the lane due itself. Call it inside the tenant.
create function claim_lane(p_tenant uuid, p_lane jsonb, p_max integer, p_now timestamptz)
returns table (id uuid, attempt integer, failures integer, tries integer, verdict text, message_id uuid, address_key_id text,
  address bytea, address_key bytea, user_id uuid, locale text, segments integer, provider_id uuid, due_at timestamptz, expires_at timestamptz,
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
  v_due jsonb;
  v_ids uuid[];
  v_stopped uuid[];
  v_zone text;
  v_quiet jsonb := '[]';
begin
  perform from lanes l where l.tenant_id = p_tenant and l.channel = v_channel and l.class = v_class for update;
  if v_channel = 'email' and v_class <> 'urgent' then
    -- A pause waits for the claims that have begun; those that begin later see it.
    perform pg_advisory_xact_lock_shared(hashtextextended('reputation ' || p_tenant, 0));
    if is_resting(p_tenant, v_channel, v_class) then return; end if;
  end if;
  select jsonb_agg(to_jsonb(due)) into v_due from (
    select d.id, encode(d.address_key, 'hex') as address_key, d.expires_at, d.user_id, m.category,
           (p_lane->'critical') ? m.category or m.source = 'test' as is_wanted
      from message_deliveries d join messages m on m.tenant_id = p_tenant and m.id = d.message_id
     where d.tenant_id = p_tenant and d.channel = v_channel and d.class = v_class and d.status = 'queued' and d.due_at <= p_now
     order by d.due_at limit p_max for update of d skip locked) due;

  select array_agg(distinct (d->>'id')::uuid) into v_stopped from jsonb_array_elements(v_due) d
    join list_suppressed(p_tenant, v_channel, (
           select array_agg(decode(o->>'address_key', 'hex')) from jsonb_array_elements(v_due) o), p_now) s
      on encode(s.address_key, 'hex') = d->>'address_key' and (s.category is null or s.category = d->>'category')
   where not (d->>'is_wanted')::boolean or s.reason in ('bounce', 'invalid');

  if v_channel in ('push', 'sms', 'whatsapp') and v_class <> 'urgent' then
    select t.time_zone into v_zone from tenants t where t.id = p_tenant;
    select coalesce(jsonb_agg(to_jsonb(q)), '[]') into v_quiet from (
      select d->>'id' as id, end_of_quiet_hours(p_now, coalesce(r.time_zone, v_zone), r.quiet_from, r.quiet_until) as ends_at
        from jsonb_array_elements(v_due) d join recipients r on r.tenant_id = p_tenant and r.id = (d->>'user_id')::uuid
       where r.quiet_from is not null and (d->>'expires_at')::timestamptz > p_now and not (d->>'is_wanted')::boolean) q
     where q.ends_at is not null;
    if v_quiet <> '[]' then
      update message_deliveries d set due_at = q.ends_at from jsonb_to_recordset(v_quiet) as q (id uuid, ends_at timestamptz)
       where d.tenant_id = p_tenant and d.id = q.id;
      insert into delivery_events (tenant_id, delivery_id, at, kind, detail)
      select p_tenant, q.id, p_now, 'decision', '{"decision": "quiet_hours"}' from jsonb_to_recordset(v_quiet) as q (id uuid);
    end if;
  end if;

  v_ids := array(
    select (d->>'id')::uuid from jsonb_array_elements(v_due) d
     where d->>'id' not in (select q->>'id' from jsonb_array_elements(v_quiet) q));
  return query
  with leased as (
    update message_deliveries d
       set status = 'sending', attempt = d.attempt + 1, called_at = null,
           lease_until = p_now + make_interval(secs => (p_lane->>'lease_seconds')::integer)
     where d.tenant_id = p_tenant and d.id = any (v_ids)
    returning d.*
  )
  select l.id, l.attempt, l.failures, l.tries,
         case when l.expires_at <= p_now then 'expired' when l.id = any (v_stopped) then 'suppressed' else 'send' end,
         l.message_id, l.address_key_id, l.address, l.address_key, l.user_id, l.locale, l.segments, l.provider_id, l.due_at,
         l.expires_at, m.category, m.template, coalesce(m.template_version_id, m.platform_version_id), m.data_key_id, m.data, m.locale, m.provider,
         m.about_tenant_id, m.is_exempt
    from leased l join messages m on m.tenant_id = p_tenant and m.id = l.message_id
   order by l.due_at, l.id;
  update lanes l
     set served_at = p_now,
         next_due_at = (select min(d.due_at) from message_deliveries d
                         where d.tenant_id = p_tenant and d.channel = v_channel and d.class = v_class and d.status = 'queued')
   where l.tenant_id = p_tenant and l.channel = v_channel and l.class = v_class;
end
$$;
revoke execute on function claim_lane(uuid, jsonb, integer, timestamptz) from public;
grant execute on function claim_lane(uuid, jsonb, integer, timestamptz) to lango_app;

-- Adds entries to the timelines of deliveries. Call it inside the tenant.
create function note_deliveries(p_tenant uuid, p_kind text, p_entries jsonb, p_now timestamptz)
returns void
language plpgsql
set search_path = public, pg_temp
as $$
begin
  insert into delivery_events (tenant_id, delivery_id, at, kind, detail)
  select p_tenant, (e->>'deliveryId')::uuid, p_now, p_kind, e->'detail' from jsonb_array_elements(p_entries) e;
end
$$;
revoke execute on function note_deliveries(uuid, text, jsonb, timestamptz) from public;
grant execute on function note_deliveries(uuid, text, jsonb, timestamptz) to lango_app;

-- Settles outcomes of deliveries in one transaction: state, timeline, credit, the message's open deliveries, and the lanes of
-- those that are tried again. A result of an older attempt changes nothing. Returns the deliveries that changed. Locks are taken in
-- this order: deliveries, messages, day, credit, lanes, reputation. Call it inside the tenant.
create function settle_deliveries(p_tenant uuid, p_results jsonb, p_now timestamptz)
returns table (id uuid, message_id uuid, channel text, status text, version integer, user_id uuid, address_masked text,
  error_class text, error_code text, provider_id uuid, template text, is_message_complete boolean, wants_events boolean, credit_low jsonb)
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
  v_reserved jsonb;
  v_sent integer;
  v_bounced integer;
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
           tries = d.tries + case when r.is_failure or r.error_class = 'unreachable' then 1 else 0 end,
           segments = coalesce(r.segments, d.segments),
           sent_at = case when r.rank >= 1 and r.status <> 'expired' then coalesce(d.sent_at, p_now) else d.sent_at end,
           final_at = case when r.status in ('queued', 'unknown', 'sent') then null else coalesce(d.final_at, p_now) end
      from result r, before b
     where d.tenant_id = p_tenant and d.id = r.id and b.id = d.id and (r.attempt is null or d.attempt = r.attempt)
       and r."from" ? d.status and (r.rank is null or r.rank > d.rank)
    returning d.id, d.message_id, d.channel, d.class, d.status, d.version, d.user_id, d.address_masked, d.due_at,
              d.error_class, d.error_code, d.provider_id, b.status as was, b.segments as reserved, r.rank as reported_rank, r.kind, r.detail,
              d.sent_at is not null and b.sent_at is null as is_sent_now, coalesce(r.is_bad_address, false) as is_bad_address
  )
  select jsonb_agg(to_jsonb(moved)) into v_changed from moved;
  if v_changed is null then return; end if;
  insert into delivery_events (tenant_id, delivery_id, at, kind, detail)
  select p_tenant, (c->>'id')::uuid, p_now, c->>'kind', c->'detail' from jsonb_array_elements(v_changed) c where c->>'kind' is not null;

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

  select jsonb_agg(c), coalesce(sum((c->>'reserved')::bigint) filter (where (c->>'reported_rank')::smallint >= 1), 0),
         coalesce(sum((c->>'reserved')::bigint) filter (where coalesce((c->>'reported_rank')::smallint, 0) < 1), 0)
    into v_reserved, v_settled, v_released
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
      from jsonb_array_elements(v_reserved) c;
  end if;

  insert into lanes as l (tenant_id, channel, class, next_due_at, served_at)
  select p_tenant, c->>'channel', c->>'class', min((c->>'due_at')::timestamptz), p_now
    from jsonb_array_elements(v_changed) c where c->>'status' = 'queued'
   group by c->>'channel', c->>'class' order by c->>'channel', c->>'class'
  on conflict on constraint lanes__pkey do update
     set next_due_at = least(coalesce(l.next_due_at, excluded.next_due_at), excluded.next_due_at);

  select count(*) filter (where (c->>'is_sent_now')::boolean or (c->>'is_bad_address')::boolean),
         count(*) filter (where c->>'status' = 'bounced' or (c->>'is_bad_address')::boolean)
    into v_sent, v_bounced
    from jsonb_array_elements(v_changed) c
    join messages m on m.tenant_id = p_tenant and m.id = (c->>'message_id')::uuid and not m.is_exempt
   where c->>'channel' = 'email'
     and ((c->>'is_sent_now')::boolean or (c->>'is_bad_address')::boolean or c->>'status' = 'bounced');
  if v_sent + v_bounced > 0 then
    insert into reputation_hours as h (tenant_id, hour, slot, sent, bounced, complained)
    values (p_tenant, date_trunc('hour', p_now), pg_backend_pid() % 8, v_sent, v_bounced, 0)
    on conflict on constraint reputation_hours__pkey do update set sent = h.sent + v_sent, bounced = h.bounced + v_bounced;
  end if;

  return query
    select (c->>'id')::uuid, (c->>'message_id')::uuid, c->>'channel', c->>'status', (c->>'version')::integer,
           (c->>'user_id')::uuid, c->>'address_masked', c->>'error_class', c->>'error_code',
           (c->>'provider_id')::uuid, m.template, coalesce((c->>'message_id')::uuid = any (v_done), false),
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
language plpgsql stable security definer
set search_path = public, pg_temp
as $$
begin
  return query
    (select distinct d.tenant_id from message_deliveries d where d.status = 'sending' and d.lease_until < p_now limit p_max)
    union
    (select distinct d.tenant_id from message_deliveries d where d.status = 'unknown' and d.due_at < p_now limit p_max);
end
$$;
alter function tenants_to_recover(timestamptz, integer) owner to lango_lookup;
revoke execute on function tenants_to_recover(timestamptz, integer) from public;
grant execute on function tenants_to_recover(timestamptz, integer) to lango_app;

-- The tenants with due deliveries in an idle lane.
create function tenants_with_idle_lanes(p_now timestamptz, p_max integer)
returns table (tenant_id uuid)
language plpgsql stable security definer
set search_path = public, pg_temp
as $$
begin
  return query
    select distinct d.tenant_id from message_deliveries d
      left join lanes l on l.tenant_id = d.tenant_id and l.channel = d.channel and l.class = d.class
     where d.status = 'queued' and d.due_at < p_now and l.next_due_at is null limit p_max;
end
$$;
alter function tenants_with_idle_lanes(timestamptz, integer) owner to lango_lookup;
revoke execute on function tenants_with_idle_lanes(timestamptz, integer) from public;
grant execute on function tenants_with_idle_lanes(timestamptz, integer) to lango_app;

-- The enabled providers that a tenant can send through on a channel, with their credentials: its own, and the platform's.
create function list_sending_providers(p_tenant uuid, p_channel text)
returns table (id uuid, tenant_id uuid, kind text, name text, base_url text, credentials_key_id text, credentials bytea,
  weight integer, per_second integer, in_flight_max integer, from_address text, updated_at timestamptz)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select p.id, p.tenant_id, p.kind, p.name, p.base_url, p.credentials_key_id, p.credentials, p.weight, p.per_second,
         p.in_flight_max, p.from_address, p.updated_at
    from providers p where p.tenant_id = p_tenant and p.channel = p_channel and p.enabled
  union all
  select p.id, null, p.kind, p.name, p.base_url, p.credentials_key_id, p.credentials, p.weight, p.per_second,
         p.in_flight_max, null, p.updated_at
    from platform_providers p where p.channel = p_channel and p.enabled
$$;
alter function list_sending_providers(uuid, text) owner to lango_lookup;
revoke execute on function list_sending_providers(uuid, text) from public;
grant execute on function list_sending_providers(uuid, text) to lango_app;

-- Takes calls to a provider from its pace: at most those that begin within 100 ms, and for bulk messages at most 80 % of the pace.
-- A call may begin up to 100 ms late, so the calls are 10 % further apart than the pace: no second has more calls than the pace
-- allows, whatever the processes and their clocks. Returns no row if the provider does not exist.
create function take_provider_pace(p_id uuid, p_others integer, p_bulk integer)
returns table (starts_in_ms double precision, spacing_ms double precision, granted integer, granted_bulk integer,
  bulk_in_ms double precision)
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  v_provider record;
  v_is_platform boolean;
  v_now timestamptz;
  v_spacing double precision;
  v_start double precision;
  v_bulk_start double precision;
  v_room integer;
  v_others integer;
  v_bulk integer;
begin
  select p.per_second, p.paced_at, p.bulk_paced_at into v_provider from platform_providers p where p.id = p_id for update;
  v_is_platform := found;
  if not v_is_platform then
    select p.per_second, p.paced_at, p.bulk_paced_at into v_provider from providers p where p.id = p_id for update;
    if not found then return; end if;
  end if;
  v_now := clock_timestamp();
  v_spacing := 1100.0 / v_provider.per_second;
  v_start := greatest(coalesce(extract(epoch from v_provider.paced_at - v_now) * 1000, 0), 0);
  v_bulk_start := greatest(coalesce(extract(epoch from v_provider.bulk_paced_at - v_now) * 1000, 0), 0);
  v_room := case when v_start < 100 then floor((100 - v_start) / v_spacing) + 1 else 0 end;
  v_others := least(p_others, v_room);
  v_bulk := least(p_bulk, v_room - v_others,
    case when v_bulk_start < 100 then floor((100 - v_bulk_start) * 0.8 / v_spacing)::integer + 1 else 0 end);
  v_bulk_start := v_bulk_start + v_bulk * v_spacing / 0.8;
  if v_others + v_bulk > 0 then
    v_provider.paced_at := v_now + (v_start + (v_others + v_bulk) * v_spacing) * interval '1 millisecond';
    if v_bulk > 0 then v_provider.bulk_paced_at := v_now + v_bulk_start * interval '1 millisecond'; end if;
    if v_is_platform then
      update platform_providers p set paced_at = v_provider.paced_at, bulk_paced_at = v_provider.bulk_paced_at where p.id = p_id;
    else
      update providers p set paced_at = v_provider.paced_at, bulk_paced_at = v_provider.bulk_paced_at where p.id = p_id;
    end if;
  end if;
  return query select v_start, v_spacing, v_others, v_bulk, v_bulk_start;
end
$$;
alter function take_provider_pace(uuid, integer, integer) owner to lango_lookup;
revoke execute on function take_provider_pace(uuid, integer, integer) from public;
grant execute on function take_provider_pace(uuid, integer, integer) to lango_app;

-- The provider of a webhook, of whichever tenant.
create function find_webhook_provider(p_id uuid)
returns table (id uuid, tenant_id uuid, channel text, kind text, base_url text, credentials_key_id text, credentials bytea,
  webhook_token_hash bytea)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select p.id, p.tenant_id, p.channel, p.kind, p.base_url, p.credentials_key_id, p.credentials, p.webhook_token_hash
    from providers p where p.id = p_id
  union all
  select p.id, null, p.channel, p.kind, p.base_url, p.credentials_key_id, p.credentials, p.webhook_token_hash
    from platform_providers p where p.id = p_id
$$;
alter function find_webhook_provider(uuid) owner to lango_lookup;
revoke execute on function find_webhook_provider(uuid) from public;
grant execute on function find_webhook_provider(uuid) to lango_app;

-- Stores reports of a provider, each once. Returns how many are new.
create function store_reports(p_provider uuid, p_reports jsonb, p_now timestamptz)
returns integer
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  v_stored integer;
begin
  insert into provider_reports (provider_id, event_key, body_key_id, body, received_at, due_at)
  select p.id, decode(r.event_key, 'hex'), r.key_id, decode(r.body, 'hex'), p_now, p_now
    from every_provider p, jsonb_to_recordset(p_reports) as r (event_key text, key_id text, body text)
   where p.id = p_provider
  on conflict on constraint provider_reports__event_unique do nothing;
  get diagnostics v_stored = row_count;
  return v_stored;
end
$$;
alter function store_reports(uuid, jsonb, timestamptz) owner to lango_lookup;
revoke execute on function store_reports(uuid, jsonb, timestamptz) from public;
grant execute on function store_reports(uuid, jsonb, timestamptz) to lango_app;

-- Takes due reports, at most p_max. They are due again after p_again seconds unless they are finished.
create function take_reports(p_max integer, p_again integer, p_now timestamptz)
returns table (id uuid, provider_id uuid, attempt integer, body_key_id text, body bytea)
language sql security definer
set search_path = public, pg_temp
as $$
  update provider_reports r set attempt = r.attempt + 1, due_at = p_now + make_interval(secs => p_again)
   where r.id = any (array(
     select d.id from provider_reports d where d.applied_at is null and d.due_at <= p_now
      order by d.due_at limit p_max for update skip locked))
  returning r.id, r.provider_id, r.attempt, r.body_key_id, r.body
$$;
alter function take_reports(integer, integer, timestamptz) owner to lango_lookup;
revoke execute on function take_reports(integer, integer, timestamptz) from public;
grant execute on function take_reports(integer, integer, timestamptz) to lango_app;

-- Marks reports as applied. Returns those that were not.
create function finish_reports(p_ids uuid[], p_now timestamptz)
returns table (id uuid)
language sql security definer
set search_path = public, pg_temp
as $$
  update provider_reports r set applied_at = p_now where r.id = any (p_ids) and r.applied_at is null returning r.id
$$;
alter function finish_reports(uuid[], timestamptz) owner to lango_lookup;
revoke execute on function finish_reports(uuid[], timestamptz) from public;
grant execute on function finish_reports(uuid[], timestamptz) to lango_app;

-- The deliveries that reports are about: sent through that provider, and found by its id of the message or by ours. A delivery
-- whose call has not ended is found by our id only, because its row does not name the provider yet.
create function find_reported(p_reports jsonb)
returns table (report_id uuid, tenant_id uuid, delivery_id uuid, status text)
language plpgsql stable security definer
set search_path = public, pg_temp
as $$
declare
  v_report record;
begin
  for v_report in
    select * from jsonb_to_recordset(p_reports) as r (id uuid, provider_id uuid, ref text, tenant_id uuid, delivery_id uuid)
  loop
    return query
      select v_report.id, d.tenant_id, d.id, d.status from message_deliveries d
       where d.provider_id = v_report.provider_id and d.ref = v_report.ref limit 1;
    if not found and v_report.delivery_id is not null and exists (select from every_provider p
         where p.id = v_report.provider_id and (p.tenant_id is null or p.tenant_id = v_report.tenant_id)) then
      return query
        select v_report.id, d.tenant_id, d.id, d.status from message_deliveries d
         where d.tenant_id = v_report.tenant_id and d.id = v_report.delivery_id
           and (d.provider_id = v_report.provider_id or d.status = 'sending');
    end if;
  end loop;
end
$$;
alter function find_reported(jsonb) owner to lango_lookup;
revoke execute on function find_reported(jsonb) from public;
grant execute on function find_reported(jsonb) to lango_app;

-- Whether a new suppression takes the place of the one before: that one has expired, or the address turned out not to exist. One
-- that expires says so only if it is for every tenant.
create function is_replaced(p_expires_at timestamptz, p_reason text, p_new_reason text, p_is_sure boolean, p_now timestamptz)
returns boolean
language sql immutable
set search_path = public, pg_temp
as $$
  select coalesce(p_expires_at <= p_now, false)
      or p_is_sure and p_new_reason in ('bounce', 'invalid') and p_reason not in ('bounce', 'invalid')
$$;
revoke execute on function is_replaced(timestamptz, text, text, boolean, timestamptz) from public;
grant execute on function is_replaced(timestamptz, text, text, boolean, timestamptz) to lango_app, lango_lookup;

-- Suppresses addresses for the tenant. Returns those that are suppressed since now. Call it inside the tenant.
create function suppress_addresses(p_tenant uuid, p_addresses jsonb, p_now timestamptz)
returns table (delivery_id uuid, category text)
language plpgsql
set search_path = public, pg_temp
as $$
declare
  v_address record;
  v_created_at timestamptz;
begin
  for v_address in
    select * from jsonb_to_recordset(p_addresses)
      as a (delivery_id uuid, channel text, key_id text, key text, masked text, category text, reason text, days integer)
  loop
    insert into suppressions as s (tenant_id, channel, address_key_id, address_key, address_masked, category, reason, expires_at, created_at)
    values (p_tenant, v_address.channel, v_address.key_id, decode(v_address.key, 'hex'), v_address.masked, v_address.category,
      v_address.reason, p_now + make_interval(days => v_address.days), p_now)
    on conflict on constraint suppressions__address_unique do update
       set reason = case when is_replaced(s.expires_at, s.reason, excluded.reason, excluded.expires_at is null, p_now)
                         then excluded.reason else s.reason end,
           created_by = case when is_replaced(s.expires_at, s.reason, excluded.reason, excluded.expires_at is null, p_now)
                             then null else s.created_by end,
           created_at = case when is_replaced(s.expires_at, s.reason, excluded.reason, excluded.expires_at is null, p_now)
                             then p_now else s.created_at end,
           expires_at = case when s.expires_at <= p_now then excluded.expires_at
                             when s.expires_at is null or excluded.expires_at is null then null
                             else greatest(s.expires_at, excluded.expires_at) end
    returning s.created_at into v_created_at;
    if v_created_at = p_now then return query select v_address.delivery_id, v_address.category; end if;
  end loop;
end
$$;
revoke execute on function suppress_addresses(uuid, jsonb, timestamptz) from public;
grant execute on function suppress_addresses(uuid, jsonb, timestamptz) to lango_app;

-- Suppresses addresses that a provider of the platform can never reach for every tenant, for 90 days. Returns those that are
-- suppressed since now.
create function suppress_everywhere(p_addresses jsonb, p_now timestamptz)
returns table (delivery_id uuid, category text)
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  v_address record;
  v_created_at timestamptz;
begin
  for v_address in
    select * from jsonb_to_recordset(p_addresses)
      as a (delivery_id uuid, channel text, key_id text, key text, masked text, provider_id uuid, reason text)
     where exists (select from platform_providers p where p.id = a.provider_id)
  loop
    insert into platform_suppressions as s (channel, address_key_id, address_key, address_masked, reason, expires_at, created_at)
    values (v_address.channel, v_address.key_id, decode(v_address.key, 'hex'), v_address.masked, v_address.reason,
      p_now + interval '90 days', p_now)
    on conflict on constraint platform_suppressions__address_unique do update
       set reason = case when is_replaced(s.expires_at, s.reason, excluded.reason, true, p_now) then excluded.reason else s.reason end,
           created_by = case when is_replaced(s.expires_at, s.reason, excluded.reason, true, p_now) then null else s.created_by end,
           created_at = case when is_replaced(s.expires_at, s.reason, excluded.reason, true, p_now) then p_now else s.created_at end,
           expires_at = case when s.expires_at <= p_now then excluded.expires_at
                             when s.expires_at is not null then greatest(s.expires_at, excluded.expires_at) end
    returning s.created_at into v_created_at;
    if v_created_at = p_now then return query select v_address.delivery_id, null; end if;
  end loop;
end
$$;
alter function suppress_everywhere(jsonb, timestamptz) owner to lango_lookup;
revoke execute on function suppress_everywhere(jsonb, timestamptz) from public;
grant execute on function suppress_everywhere(jsonb, timestamptz) to lango_app;

-- Adds counts of calls by provider and minute.
create function count_provider_calls(p_counts jsonb)
returns void
language sql security definer
set search_path = public, pg_temp
as $$
  insert into provider_minutes as m (provider_id, minute, sent, errors, slow)
  select p.id, c.minute, c.sent, c.errors, c.slow
    from jsonb_to_recordset(p_counts) as c (provider_id uuid, minute timestamptz, sent integer, errors integer, slow integer)
    join every_provider p on p.id = c.provider_id
   order by p.id, c.minute
  on conflict on constraint provider_minutes__pkey do update
     set sent = m.sent + excluded.sent, errors = m.errors + excluded.errors, slow = m.slow + excluded.slow
$$;
alter function count_provider_calls(jsonb) owner to lango_lookup;
revoke execute on function count_provider_calls(jsonb) from public;
grant execute on function count_provider_calls(jsonb) to lango_app;

-- The health of enabled providers on the channels of owners where one was used within 15 minutes or is not at rest: errors of the
-- last full minute, and messages of 15 minutes.
create function list_provider_health(p_now timestamptz)
returns table (id uuid, tenant_id uuid, channel text, kind text, name text, weight integer, resting_weight integer,
  weighed_at timestamptz, is_degraded boolean, errors integer, sent integer, slow integer, unanswered integer)
language sql stable security definer
set search_path = public, pg_temp
as $$
  with health as (
    select p.*, h.recent, h.sent, h.slow, h.errors, h.failed, h.answered
      from every_provider p
      left join lateral (
        select count(*) as recent, sum(m.sent) as sent, sum(m.slow) as slow,
               sum(m.errors) filter (where m.minute = date_trunc('minute', p_now) - interval '1 minute') as errors,
               sum(m.errors) filter (where m.minute >= p_now - interval '5 minutes') as failed,
               sum(m.sent) filter (where m.minute >= p_now - interval '5 minutes') as answered
          from provider_minutes m where m.provider_id = p.id and m.minute >= p_now - interval '15 minutes'
      ) h on true
     where p.enabled
  )
  select h.id, h.tenant_id, h.channel, h.kind, h.name, h.weight, h.resting_weight, h.weighed_at, h.degraded_at is not null,
         coalesce(h.errors, 0)::integer, coalesce(h.sent, 0)::integer, coalesce(h.slow, 0)::integer,
         case when coalesce(h.answered, 0) = 0 then coalesce(h.failed, 0) else 0 end::integer
    from health h
   where exists (select from health o where o.tenant_id is not distinct from h.tenant_id and o.channel = h.channel
                  and (o.recent > 0 or o.weight <> o.resting_weight))
   order by h.tenant_id, h.channel, h.id
$$;
alter function list_provider_health(timestamptz) owner to lango_lookup;
revoke execute on function list_provider_health(timestamptz) from public;
grant execute on function list_provider_health(timestamptz) to lango_app;

-- The table of providers of a tenant, or of the platform.
create function table_of_providers(p_is_platform boolean)
returns text
language sql immutable
set search_path = public, pg_temp
as $$
  select case when p_is_platform then 'platform_providers' else 'providers' end
$$;
revoke execute on function table_of_providers(boolean) from public;
grant execute on function table_of_providers(boolean) to lango_lookup;

-- Stores new weights.
create function store_provider_weights(p_weights jsonb, p_now timestamptz)
returns void
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  v_is_platform boolean;
begin
  foreach v_is_platform in array array[false, true] loop
    execute format('update %I p
         set weight = w.weight, weighed_at = $2, degraded_at = case when w.is_degraded then coalesce(p.degraded_at, $2) end
        from jsonb_to_recordset($1) as w (id uuid, weight integer, is_degraded boolean)
       where p.id = w.id', table_of_providers(v_is_platform)) using p_weights, p_now;
  end loop;
  perform pg_notify('notifications_changed', 'providers');
end
$$;
alter function store_provider_weights(jsonb, timestamptz) owner to lango_lookup;
revoke execute on function store_provider_weights(jsonb, timestamptz) from public;
grant execute on function store_provider_weights(jsonb, timestamptz) to lango_app;

-- Creates a provider of a tenant, or of the platform where p_tenant is null; with an id it changes the one of this owner. Members
-- that are missing stay as they are. Returns the id; null if this owner has no provider with it.
create function save_provider(p_tenant uuid, p_id uuid, p_provider jsonb, p_now timestamptz)
returns uuid
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  v_is_platform boolean := p_tenant is null;
  v_table text := table_of_providers(v_is_platform);
  v_count integer;
  v_id uuid;
begin
  if v_is_platform and p_provider ? 'from_address' then
    raise exception 'a provider of the platform has no address of its own' using errcode = 'check_violation',
      constraint = 'providers__from_check';
  end if;
  if p_id is null then
    perform pg_advisory_xact_lock(hashtextextended('providers of ' || coalesce(p_tenant::text, 'the platform'), 0));
    select count(*) into v_count from every_provider p
     where p.tenant_id is not distinct from p_tenant and p.channel = p_provider->>'channel';
    if v_count >= 20 then
      raise exception 'too many providers' using errcode = 'check_violation', constraint = 'providers__count';
    end if;
    execute format('insert into %I (%s channel, kind, name, base_url, credentials_key_id, credentials, weight, resting_weight,
        per_second, in_flight_max, webhook_token_hash, enabled, created_by, created_at, updated_at)
      values (%s $2->>''channel'', $2->>''kind'', $2->>''name'', $2->>''base_url'', $2->>''credentials_key_id'',
        decode($2->>''credentials'', ''hex''), ($2->>''resting_weight'')::integer, ($2->>''resting_weight'')::integer,
        ($2->>''per_second'')::integer, ($2->>''in_flight_max'')::integer, decode($2->>''webhook_token_hash'', ''hex''),
        ($2->>''enabled'')::boolean, $2->>''made_by'', $3, $3)
      returning id', v_table, case when v_is_platform then '' else 'tenant_id, from_address,' end,
      case when v_is_platform then '' else '$1, $2->>''from_address'',' end) into v_id using p_tenant, p_provider, p_now;
  else
    execute format('update %I p
         set name = coalesce($2->>''name'', p.name), base_url = coalesce($2->>''base_url'', p.base_url),
             credentials_key_id = coalesce($2->>''credentials_key_id'', p.credentials_key_id),
             credentials = coalesce(decode($2->>''credentials'', ''hex''), p.credentials),
             resting_weight = coalesce(($2->>''resting_weight'')::integer, p.resting_weight),
             weight = coalesce(($2->>''resting_weight'')::integer, p.weight),
             degraded_at = case when not $2 ? ''resting_weight'' then p.degraded_at end,
             per_second = coalesce(($2->>''per_second'')::integer, p.per_second),
             in_flight_max = coalesce(($2->>''in_flight_max'')::integer, p.in_flight_max),
             webhook_token_hash = coalesce(decode($2->>''webhook_token_hash'', ''hex''), p.webhook_token_hash),
             enabled = coalesce(($2->>''enabled'')::boolean, p.enabled), updated_at = $3 %s
       where p.id = $4 %s
      returning p.id', v_table,
      case when v_is_platform then '' else ', from_address = coalesce($2->>''from_address'', p.from_address)' end,
      case when v_is_platform then '' else 'and p.tenant_id = $1' end) into v_id using p_tenant, p_provider, p_now, p_id;
  end if;
  perform pg_notify('notifications_changed', 'providers');
  return v_id;
end
$$;
alter function save_provider(uuid, uuid, jsonb, timestamptz) owner to lango_lookup;
revoke execute on function save_provider(uuid, uuid, jsonb, timestamptz) from public;
grant execute on function save_provider(uuid, uuid, jsonb, timestamptz) to lango_app;

-- Removes a provider of a tenant, or of the platform where p_tenant is null, with its minutes and reports. Returns whether there was
-- one.
create function remove_provider(p_tenant uuid, p_id uuid)
returns boolean
language plpgsql security definer
set search_path = public, pg_temp
as $$
begin
  if p_tenant is null then
    delete from platform_providers p where p.id = p_id;
  else
    delete from providers p where p.tenant_id = p_tenant and p.id = p_id;
  end if;
  if not found then return false; end if;
  delete from provider_minutes m where m.provider_id = p_id;
  delete from provider_reports r where r.provider_id = p_id;
  perform pg_notify('notifications_changed', 'providers');
  return true;
end
$$;
alter function remove_provider(uuid, uuid) owner to lango_lookup;
revoke execute on function remove_provider(uuid, uuid) from public;
grant execute on function remove_provider(uuid, uuid) to lango_app;

-- How a provider did by the minute since a time, the newest first: of a day at most.
create function list_provider_minutes(p_id uuid, p_since timestamptz)
returns table (minute timestamptz, sent integer, errors integer, slow integer)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select m.minute, m.sent, m.errors, m.slow from provider_minutes m
   where m.provider_id = p_id and m.minute >= p_since order by m.minute desc limit 1440
$$;
alter function list_provider_minutes(uuid, timestamptz) owner to lango_lookup;
revoke execute on function list_provider_minutes(uuid, timestamptz) from public;
grant execute on function list_provider_minutes(uuid, timestamptz) to lango_app;

-- What operators watch: for how long the oldest due delivery of each class waits in seconds, without resting lanes, how many outcomes
-- are unknown, how many providers of the platform are degraded, and how many tenants' e-mail is paused.
create function measure_deliveries(p_now timestamptz)
returns table (what text, about text, value double precision)
language plpgsql stable security definer
set search_path = public, pg_temp
as $$
begin
  return query
    select 'due', l.class, extract(epoch from p_now - min(l.next_due_at))::double precision
      from lanes l join tenants t on t.id = l.tenant_id
      left join reputation_periods r on r.tenant_id = l.tenant_id and r.ended_at is null
     where l.next_due_at <= p_now and t.status = 'active'
       and not (l.channel = 'email' and l.class <> 'urgent' and coalesce(r.state = 'paused', false))
     group by l.class;
  return query
    select 'unknown', '', count(*)::double precision
      from (select d.id from message_deliveries d where d.status = 'unknown' limit 10000) u;
  return query
    select 'degraded', p.channel, count(*)::double precision
      from platform_providers p where p.enabled and p.degraded_at is not null group by p.channel;
  return query
    select 'paused', '', count(*)::double precision
      from reputation_periods r where r.ended_at is null and r.state = 'paused';
end
$$;
alter function measure_deliveries(timestamptz) owner to lango_lookup;
revoke execute on function measure_deliveries(timestamptz) from public;
grant execute on function measure_deliveries(timestamptz) to lango_app;

-- Whether a row is of a tenant that was deleted.
create function is_of_deleted_tenant(p_row jsonb)
returns boolean
language sql stable
set search_path = public, pg_temp
as $$
  select exists (select from tenants t where t.id = (p_row->>'tenant_id')::uuid and t.deleted_at is not null)
$$;
revoke execute on function is_of_deleted_tenant(jsonb) from public;
grant execute on function is_of_deleted_tenant(jsonb) to lango_lookup;

-- Published versions of templates never change, whatever their tenant's id becomes; a tenant's go with it. Where two ids become
-- one, versions of one template become later versions of another.
create function refuse_published_change()
returns trigger
language plpgsql security definer
set search_path = public, pg_temp
as $$
begin
  if tg_op = 'UPDATE' and to_jsonb(new) - 'tenant_id' = to_jsonb(old) - 'tenant_id' then return new; end if;
  if tg_op = 'UPDATE' and to_jsonb(new) -> 'tenant_id' <> to_jsonb(old) -> 'tenant_id'
    and to_jsonb(new) - '{tenant_id,template_id,version}'::text[] = to_jsonb(old) - '{tenant_id,template_id,version}'::text[] then
    return new;
  end if;
  if old.published_at is not null and (tg_op = 'UPDATE' or not is_of_deleted_tenant(to_jsonb(old))) then
    raise exception 'version % of the template is published', old.version;
  end if;
  return case when tg_op = 'UPDATE' then new else old end;
end
$$;
alter function refuse_published_change() owner to lango_lookup;
create trigger template_versions__published before update or delete on template_versions
  for each row execute function refuse_published_change();
create trigger platform_template_versions__published before update or delete on platform_template_versions
  for each row execute function refuse_published_change();

-- Contents of a published version never change either. The argument is the table of the versions.
create function refuse_published_contents()
returns trigger
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  v_is_published boolean;
begin
  if tg_op = 'UPDATE' and to_jsonb(new) - 'tenant_id' = to_jsonb(old) - 'tenant_id' then return new; end if;
  execute format('select exists (select from %I v where v.id = $1 and v.published_at is not null)', tg_argv[0])
     into v_is_published using old.version_id;
  if v_is_published and (tg_op = 'UPDATE' or not is_of_deleted_tenant(to_jsonb(old))) then
    raise exception 'the version of this content is published';
  end if;
  return case when tg_op = 'UPDATE' then new else old end;
end
$$;
alter function refuse_published_contents() owner to lango_lookup;
create trigger template_contents__published before update or delete on template_contents
  for each row execute function refuse_published_contents('template_versions');
create trigger platform_template_contents__published before update or delete on platform_template_contents
  for each row execute function refuse_published_contents('platform_template_versions');

-- The contents of a published version are all added by one statement, and none later. The argument is the table of the versions.
create function refuse_late_contents()
returns trigger
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  v_versions constant uuid[] := array(select distinct a.version_id from added a);
  v_added constant uuid[] := array(select a.id from added a);
  v_is_late boolean;
begin
  execute format(
    'select exists (select from %I v join %I c on c.version_id = v.id
       where v.id = any ($1) and v.published_at is not null and c.id <> all ($2))', tg_argv[0], tg_table_name)
     into v_is_late using v_versions, v_added;
  if v_is_late then
    raise exception 'the version of this content is published';
  end if;
  return null;
end
$$;
alter function refuse_late_contents() owner to lango_lookup;
create trigger template_contents__late after insert on template_contents
  referencing new table as added for each statement execute function refuse_late_contents('template_versions');
create trigger platform_template_contents__late after insert on platform_template_contents
  referencing new table as added for each statement execute function refuse_late_contents('platform_template_versions');

grant select, insert, update on erased_people to lango_app;
grant select on erased_people to lango_platform;

alter table tenant_branding enable row level security;
alter table tenant_branding force row level security;
create policy tenant_branding__tenant on tenant_branding using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy tenant_branding__platform on tenant_branding for select to lango_platform using (true);
grant select, insert, update, delete on tenant_branding to lango_app;
grant select on tenant_branding to lango_platform;

-- Where a person is known, and the keys of the e-mail addresses: before a tenant is known.
create function places_of_person(p_user uuid)
returns table (tenant_id uuid, email_address_key bytea)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select r.tenant_id, r.email_address_key from recipients r where r.id = p_user
$$;
alter function places_of_person(uuid) owner to lango_lookup;
revoke execute on function places_of_person(uuid) from public;
grant execute on function places_of_person(uuid) to lango_app;

grant update (status, version, updated_at) on recipients to lango_lookup;
create policy recipients__lookup_update on recipients for update to lango_lookup using (true);

-- Closes a person in every tenant, unless a later version was applied.
create function close_person(p_user uuid, p_version bigint, p_now timestamptz)
returns void
language sql security definer
set search_path = public, pg_temp
as $$
  update recipients r set status = 'disabled', version = p_version, updated_at = p_now
   where r.id = p_user and r.version < p_version
$$;
alter function close_person(uuid, bigint, timestamptz) owner to lango_lookup;
revoke execute on function close_person(uuid, bigint, timestamptz) from public;
grant execute on function close_person(uuid, bigint, timestamptz) to lango_app;

create table inbox_items (
  tenant_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  title text not null constraint inbox_items__title_check check (length(title) <= 500),
  body text not null constraint inbox_items__body_check check (length(body) <= 1000),
  link text,
  category text not null,
  template text not null,
  created_at timestamptz not null,
  seen_at timestamptz,
  read_at timestamptz,
  archived_at timestamptz,
  constraint inbox_items__pkey primary key (tenant_id, id),
  constraint inbox_items__recipient_fkey
    foreign key (tenant_id, user_id) references recipients (tenant_id, id) on update cascade on delete cascade
);
create index inbox_items__of_user on inbox_items (tenant_id, user_id, created_at desc, id desc);
create index inbox_items__created on inbox_items (created_at);
comment on table inbox_items is 'What people find in their inbox: at most 500 per person, for 180 days.';
comment on column inbox_items.id is 'The id of the delivery, so that a repeated delivery adds nothing.';
grant select, insert, update, delete on inbox_items to lango_app;
grant select on inbox_items to lango_platform;
grant select, delete on inbox_items to lango_lookup;
alter table inbox_items enable row level security;
alter table inbox_items force row level security;
create policy inbox_items__tenant on inbox_items using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy inbox_items__platform on inbox_items for select to lango_platform using (true);
create policy inbox_items__lookup on inbox_items to lango_lookup using (true);

-- Notifies every process whose inbox changed: open streams send the news.
create function notify_inbox_changed()
returns trigger
language plpgsql
set search_path = public, pg_temp
as $$
begin
  perform pg_notify('notifications_changed', concat_ws(' ', 'inbox', c.tenant_id, c.user_id))
    from (select distinct tenant_id, user_id from changed) c;
  return null;
end
$$;
create trigger inbox_items__added after insert on inbox_items
  referencing new table as changed for each statement execute function notify_inbox_changed();
create trigger inbox_items__changed after update on inbox_items
  referencing new table as changed for each statement execute function notify_inbox_changed();

-- Removes items of every inbox that are too old, at most p_max. Returns their number.
create function purge_inbox(p_before timestamptz, p_max integer)
returns integer
language plpgsql security definer
set search_path = public, pg_temp
as $$
begin
  return purge_old_rows('inbox_items', 'id', 'created_at', p_before, p_max);
end
$$;
alter function purge_inbox(timestamptz, integer) owner to lango_lookup;
revoke execute on function purge_inbox(timestamptz, integer) from public;
grant execute on function purge_inbox(timestamptz, integer) to lango_app;

-- Before two ids of a tenant are merged (decision 0045): a person who is known under both is kept as the newer version says, with
-- the contact points and preferences of both.
create function prepare_merge_of_people(p_from uuid, p_to uuid)
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
revoke execute on function prepare_merge_of_people(uuid, uuid) from public;

create table platform_triggers (
  id uuid not null default gen_random_uuid() constraint platform_triggers__pkey primary key,
  name text not null constraint platform_triggers__name_unique unique,
  event_type text not null,
  template text not null,
  channels text[] not null constraint platform_triggers__channels_check
    check (channels <@ '{email,sms,push,whatsapp,in_app}' and cardinality(channels) between 1 and 5),
  sender text not null constraint platform_triggers__sender_check check (sender in ('tenant', 'platform')),
  recipients text[] not null constraint platform_triggers__recipients_check check (cardinality(recipients) between 1 and 100),
  conditions jsonb not null,
  map jsonb not null,
  is_enabled boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
comment on table platform_triggers is 'Rules of the platform by which events of every tenant become messages, on all channels at once.';
comment on column platform_triggers.sender is 'platform: its e-mails are messages of the platform, about the tenant of the event.';
comment on column platform_triggers.is_enabled is 'False: the rule no longer exists; runs refer to it.';

create table triggers (
  tenant_id uuid not null constraint triggers__tenant_fkey references tenants (id) on update cascade,
  id uuid not null default gen_random_uuid(),
  name text not null constraint triggers__name_check check (length(name) between 1 and 120),
  event_type text not null,
  template text not null,
  channels text[] not null
    constraint triggers__channels_check check (channels <@ '{email,sms,push,whatsapp,in_app}' and cardinality(channels) between 1 and 5),
  mode text not null constraint triggers__mode_check check (mode in ('all', 'first')),
  recipients text[] not null constraint triggers__recipients_check check (cardinality(recipients) between 1 and 100),
  conditions jsonb not null,
  map jsonb not null,
  delay_seconds integer not null constraint triggers__delay_check check (delay_seconds between 0 and 432000),
  is_enabled boolean not null,
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  digest jsonb,
  constraint triggers__pkey primary key (tenant_id, id),
  constraint triggers__name_unique unique (tenant_id, name)
);
create index triggers__event on triggers (tenant_id, event_type) where is_enabled;
comment on table triggers is 'Rules of tenants by which events become messages.';
comment on column triggers.digest is 'How its messages are collected, as the routes show it; null: each is sent.';

create table trigger_switches (
  tenant_id uuid not null constraint trigger_switches__tenant_fkey references tenants (id) on update cascade,
  trigger_id uuid not null constraint trigger_switches__trigger_fkey references platform_triggers (id),
  set_by text not null,
  set_at timestamptz not null,
  constraint trigger_switches__pkey primary key (tenant_id, trigger_id)
);
comment on table trigger_switches is 'Rules of the platform that a tenant has switched off.';

create table trigger_runs (
  tenant_id uuid not null constraint trigger_runs__tenant_fkey references tenants (id) on update cascade,
  id uuid not null default gen_random_uuid(),
  trigger_id uuid,
  platform_trigger_id uuid constraint trigger_runs__platform_trigger_fkey references platform_triggers (id),
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
  constraint trigger_runs__trigger_fkey
    foreign key (tenant_id, trigger_id) references triggers (tenant_id, id) on update cascade on delete cascade deferrable,
  constraint trigger_runs__one_trigger check (num_nonnulls(trigger_id, platform_trigger_id) = 1),
  constraint trigger_runs__event_unique unique nulls not distinct (tenant_id, event_id, trigger_id, platform_trigger_id)
);
create index trigger_runs__trigger on trigger_runs (tenant_id, trigger_id) where trigger_id is not null;
create index trigger_runs__newest
  on trigger_runs (tenant_id, coalesce(trigger_id, platform_trigger_id), created_at desc, id desc);
create index trigger_runs__waiting on trigger_runs (due_at) where status = 'waiting';
create index trigger_runs__failed on trigger_runs (due_at) where status = 'failed' and event is not null;
create index trigger_runs__old on trigger_runs (created_at);
comment on table trigger_runs is 'What became of an event by a trigger, in the tenant of the event.';
comment on column trigger_runs.trigger_id is 'A rule of the tenant; null: platform_trigger_id says which rule of the platform.';
comment on column trigger_runs.event is 'The event, encrypted; null once the run has ended well, and seven days after it failed.';
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
grant select on triggers, platform_triggers, trigger_switches, trigger_runs, trigger_messages to lango_platform;
grant select on platform_triggers to lango_app;
grant select, insert, update on platform_triggers to lango_lookup;
grant select, update, delete on trigger_runs, trigger_messages to lango_lookup;

-- Writes the rules of the platform, and switches those off that no longer exist.
create function seed_platform_triggers(p_triggers jsonb, p_now timestamptz)
returns void
language sql security definer
set search_path = public, pg_temp
as $$
  insert into platform_triggers as t (name, event_type, template, channels, sender, recipients, conditions, map, is_enabled,
    created_at, updated_at)
  select r.name, r.event_type, r.template, r.channels, r.sender, r.recipients, r.conditions, r.map, true, p_now, p_now
    from jsonb_to_recordset(p_triggers) as r (name text, event_type text, template text, channels text[], sender text,
      recipients text[], conditions jsonb, map jsonb)
   order by r.name
  on conflict on constraint platform_triggers__name_unique do update
     set event_type = excluded.event_type, template = excluded.template, channels = excluded.channels, sender = excluded.sender,
         recipients = excluded.recipients, conditions = excluded.conditions, map = excluded.map, is_enabled = true,
         updated_at = excluded.updated_at
   where (t.event_type, t.template, t.channels, t.sender, t.recipients, t.conditions, t.map, t.is_enabled) is distinct from
         (excluded.event_type, excluded.template, excluded.channels, excluded.sender, excluded.recipients, excluded.conditions,
          excluded.map, true);
  update platform_triggers t set is_enabled = false, updated_at = p_now
   where t.is_enabled and not exists (select from jsonb_to_recordset(p_triggers) as r (name text) where r.name = t.name);
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

-- Ends runs that wait since p_waiting_since, erases the events of runs that failed before it, and removes runs and their messages
-- from before p_before; at most p_max of each. Returns how many rows it changed.
create function purge_trigger_runs(p_waiting_since timestamptz, p_before timestamptz, p_max integer, p_now timestamptz)
returns integer
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  v_changed integer := 0;
  v_count integer;
begin
  update trigger_runs r
     set status = 'failed', event = null, event_key_id = null, finished_at = p_now, notes = '[{"reason": "too_late"}]'
    from (select w.tenant_id, w.id from trigger_runs w
           where w.status = 'waiting' and w.created_at < p_waiting_since and w.due_at < p_waiting_since + interval '5 days'
           limit p_max) w
   where r.tenant_id = w.tenant_id and r.id = w.id;
  get diagnostics v_count = row_count;
  v_changed := v_changed + v_count;
  update trigger_runs r set event = null, event_key_id = null
    from (select f.tenant_id, f.id from trigger_runs f
           where f.status = 'failed' and f.event is not null
             and f.created_at < p_waiting_since and f.due_at < p_waiting_since + interval '5 days'
           limit p_max) f
   where r.tenant_id = f.tenant_id and r.id = f.id;
  get diagnostics v_count = row_count;
  v_changed := v_changed + v_count;
  delete from trigger_runs r
   using (select o.tenant_id, o.id from trigger_runs o where o.event is null and o.created_at < p_before limit p_max) o
   where r.tenant_id = o.tenant_id and r.id = o.id and r.event is null;
  get diagnostics v_count = row_count;
  v_changed := v_changed + v_count;
  delete from trigger_messages m
   using (select o.tenant_id, o.run_id, o.channel, o.recipient from trigger_messages o where o.created_at < p_before limit p_max) o
   where m.tenant_id = o.tenant_id and m.run_id = o.run_id and m.channel = o.channel and m.recipient = o.recipient;
  get diagnostics v_count = row_count;
  return v_changed + v_count;
end
$$;
alter function purge_trigger_runs(timestamptz, timestamptz, integer, timestamptz) owner to lango_lookup;
revoke execute on function purge_trigger_runs(timestamptz, timestamptz, integer, timestamptz) from public;
grant execute on function purge_trigger_runs(timestamptz, timestamptz, integer, timestamptz) to lango_app;

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

create table credit_top_ups (
  tenant_id uuid not null constraint credit_top_ups__tenant_fkey references tenants (id) on update cascade,
  id uuid not null default gen_random_uuid(),
  pack text not null,
  segments bigint not null constraint credit_top_ups__segments_check check (segments > 0),
  amount_minor bigint not null constraint credit_top_ups__amount_check check (amount_minor > 0),
  currency text not null,
  status text not null constraint credit_top_ups__status_check check (status in ('open', 'paid', 'failed', 'expired')),
  reason text,
  payment_id uuid,
  requested_by text not null,
  requested_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  constraint credit_top_ups__pkey primary key (tenant_id, id)
);
create unique index credit_top_ups__open on credit_top_ups (tenant_id) where status = 'open';
create index credit_top_ups__newest on credit_top_ups (tenant_id, requested_at desc, id desc);
comment on table credit_top_ups is 'Purchases of SMS credit. The id is the operation of the payment; the terms are those of the pack when it was bought.';
grant select, insert, update, delete on credit_top_ups to lango_app;
grant select on credit_top_ups to lango_platform;
alter table credit_top_ups enable row level security;
alter table credit_top_ups force row level security;
create policy credit_top_ups__tenant on credit_top_ups using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy credit_top_ups__platform on credit_top_ups for select to lango_platform using (true);

create table digest_windows (
  tenant_id uuid not null constraint digest_windows__tenant_fkey references tenants (id) on update cascade,
  id uuid not null default gen_random_uuid(),
  trigger_id uuid,
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
  constraint digest_windows__trigger_fkey foreign key (tenant_id, trigger_id) references triggers (tenant_id, id)
    on update cascade on delete set null (trigger_id) deferrable,
  constraint digest_windows__user_fkey foreign key (tenant_id, user_id) references recipients (tenant_id, id)
    on update cascade on delete cascade deferrable
);
create unique index digest_windows__open on digest_windows (tenant_id, trigger_id, channel, user_id, key) where status = 'open';
create index digest_windows__due on digest_windows (due_at) where status <> 'closed';
create index digest_windows__old on digest_windows (closed_at) where closed_at is not null;
create index digest_windows__user on digest_windows (tenant_id, user_id);
create index digest_windows__trigger on digest_windows (tenant_id, trigger_id);
comment on table digest_windows is 'Digests: messages of a rule to a person on a channel, collected until a time. One is open for each; a closing one takes no more.';
comment on column digest_windows.trigger_id is 'Null: the rule was removed. What was collected is still sent.';
comment on column digest_windows.key is 'The value at the path of the rule: messages with different values are in different digests.';
comment on column digest_windows.message_id is 'The message that was sent; null with a reason if nothing was sent.';

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

-- Before two ids of a tenant are merged: a person who is known under both keeps their digests.
create function prepare_merge_of_digests(p_from uuid, p_to uuid)
returns void
language sql
set search_path = public, pg_temp
as $$
  update digest_windows w set tenant_id = p_to
   where w.tenant_id = p_from and exists (select from recipients d where d.tenant_id = p_to and d.id = w.user_id);
$$;
revoke execute on function prepare_merge_of_digests(uuid, uuid) from public;

-- Before two ids of a tenant are merged (decision 0045): rows that exist under both ids are kept once. It comes first: a digest
-- of a rule that is removed loses it.
create function prepare_merge_of_triggers(p_from uuid, p_to uuid)
returns void
language sql
set search_path = public, pg_temp
as $$
  delete from trigger_switches f using trigger_switches d
   where d.tenant_id = p_to and f.tenant_id = p_from and d.trigger_id = f.trigger_id;
  delete from trigger_runs f using trigger_runs d
   where d.tenant_id = p_to and f.tenant_id = p_from and (d.event_id, d.platform_trigger_id) = (f.event_id, f.platform_trigger_id);
  delete from triggers f using triggers d where d.tenant_id = p_to and f.tenant_id = p_from and d.name = f.name;
$$;
revoke execute on function prepare_merge_of_triggers(uuid, uuid) from public;

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

-- Before two ids of a tenant are merged (decision 0045): a template that both have is kept once, with the versions of both. Of two
-- live versions the one that was published last stays live; of two drafts the one that was changed last stays.
create function prepare_merge_of_templates(p_from uuid, p_to uuid)
returns void
language sql
set search_path = public, pg_temp
as $$
  with drafts as (
    select v.tenant_id, v.id, row_number() over (partition by t.path order by v.updated_at desc, v.tenant_id = p_to desc) as place
      from template_versions v join templates t on t.tenant_id = v.tenant_id and t.id = v.template_id
     where v.tenant_id in (p_from, p_to) and v.published_at is null)
  delete from template_versions v using drafts d where d.place > 1 and (v.tenant_id, v.id) = (d.tenant_id, d.id);
  with live as (
    select t.tenant_id, t.id, t.path, t.category, t.updated_at, t.live_version, v.published_at
      from templates t
      left join template_versions v on v.tenant_id = t.tenant_id and v.template_id = t.id and v.version = t.live_version
     where t.tenant_id in (p_from, p_to)
  ), pairs as (
    select f.id as from_id, d.id as to_id, greatest(f.updated_at, d.updated_at) as updated_at,
           (select coalesce(max(v.version), 0) from template_versions v where v.tenant_id = p_to and v.template_id = d.id) as last,
           f.live_version, f.category, d.live_version is null or f.published_at > d.published_at as is_later
      from live f join live d on d.tenant_id = p_to and d.path = f.path
     where f.tenant_id = p_from
  ), moved as (
    update template_versions v set tenant_id = p_to, template_id = p.to_id, version = p.last + v.version
      from pairs p where v.tenant_id = p_from and v.template_id = p.from_id
  )
  update templates d
     set updated_at = p.updated_at, category = case when p.is_later then p.category else d.category end,
         live_version = case when p.is_later then p.last + p.live_version else d.live_version end
    from pairs p where d.tenant_id = p_to and d.id = p.to_id;
  delete from templates f using templates d where f.tenant_id = p_from and d.tenant_id = p_to and d.path = f.path;
  select pg_notify('notifications_changed', concat_ws(' ', 'template', p_to));
$$;
revoke execute on function prepare_merge_of_templates(uuid, uuid) from public;

-- Takes over the rows of an id of the tenant that is merged into another (decision 0045): e-mails of
-- a day and credit are added, buckets and lanes are joined.
create function prepare_merge(p_from uuid, p_to uuid)
returns void
language sql
set search_path = public, pg_temp
as $$
  select prepare_merge_of_triggers(p_from, p_to);
  select prepare_merge_of_digests(p_from, p_to);
  select prepare_merge_of_people(p_from, p_to);
  select prepare_merge_of_templates(p_from, p_to);
  update redrives f set request_key = null from redrives d
   where d.tenant_id = p_to and f.tenant_id = p_from
     and (d.caller_kind, d.caller_id, d.request_key) = (f.caller_kind, f.caller_id, f.request_key);
  update credit_entries f set request_key = null from credit_entries d
   where d.tenant_id = p_to and f.tenant_id = p_from and (d.made_by, d.request_key) = (f.made_by, f.request_key);
  delete from idempotency_keys f using idempotency_keys d
   where d.tenant_id = p_to and f.tenant_id = p_from and (d.caller, d.key_hash) = (f.caller, f.key_hash);
  select prepare_merge_of_reputation(p_from, p_to);
  update send_days d
     set used = d.used + f.used, reported = d.reported + f.reported, new_recipients = d.new_recipients + f.new_recipients
    from send_days f
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
  update credit_top_ups f set status = 'expired', ended_at = f.requested_at from credit_top_ups d
   where d.tenant_id = p_to and f.tenant_id = p_from and d.status = 'open' and f.status = 'open';
  delete from credit_balances f using credit_balances d where d.tenant_id = p_to and f.tenant_id = p_from;
$$;
revoke execute on function prepare_merge(uuid, uuid) from public;

-- Locks a template of the tenant, or of the platform. Returns its id; null if not found. p_of is the first part of the names of the
-- tables, as for the functions that call it.
create function lock_template(p_of text, p_path text)
returns uuid
language plpgsql
set search_path = public, pg_temp
as $$
declare
  v_id uuid;
begin
  execute format('select t.id from %ss t where t.path = $1 for update', p_of) into v_id using p_path;
  return v_id;
end
$$;
revoke execute on function lock_template(text, text) from public;
grant execute on function lock_template(text, text) to lango_lookup;

-- Adds the contents of a version of the tenant's templates, or of the platform's.
create function add_template_contents(p_of text, p_version uuid, p_contents jsonb)
returns void
language plpgsql
set search_path = public, pg_temp
as $$
begin
  execute format(
    'insert into %s_contents (version_id, channel, locale, subject, source, html, text, whatsapp_name)
     select $1, c.channel, c.locale, c.subject, c.source, c.html, coalesce(c.text, c.source), c.whatsapp_name
       from jsonb_to_recordset($2) as c (channel text, locale text, subject text, source text, html text, text text,
         whatsapp_name text)', p_of) using p_version, p_contents;
end
$$;
revoke execute on function add_template_contents(text, uuid, jsonb) from public;
grant execute on function add_template_contents(text, uuid, jsonb) to lango_lookup;

-- Notifies every process that a template of the tenant, or of the platform, was published.
create function notify_template_published(p_is_platform boolean)
returns void
language sql
set search_path = public, pg_temp
as $$
  select pg_notify('notifications_changed', 'template' || case when p_is_platform then '' else ' ' || current_setting('app.tenant_id') end)
$$;
revoke execute on function notify_template_published(boolean) from public;
grant execute on function notify_template_published(boolean) to lango_lookup;

-- Saves the draft of a template of the tenant, or of the platform. Returns its new tag; null if the draft no longer has the tag that
-- p_draft expects (null: it expects no draft).
create function save_template_draft(p_is_platform boolean, p_draft jsonb, p_contents jsonb, p_now timestamptz)
returns text
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  v_of constant text := case when p_is_platform then 'platform_template' else 'template' end;
  v_template uuid;
  v_draft record;
begin
  execute format('insert into %ss (path, category, created_at, updated_at) values ($1, $2, $3, $3) on conflict do nothing', v_of)
    using p_draft->>'path', p_draft->>'category', p_now;
  v_template := lock_template(v_of, p_draft->>'path');
  execute format('select v.id, v.revision from %s_versions v where v.template_id = $1 and v.published_at is null', v_of)
     into v_draft using v_template;
  if '"' || v_draft.id || '.' || v_draft.revision || '"' is distinct from p_draft->>'tag' then return null; end if;
  if v_draft.id is null then
    execute format(
      'insert into %1$s_versions (template_id, version, variables, samples, digest, created_by, created_at, updated_at)
       select $1, coalesce(max(v.version), 0) + 1, $2, $3, '''', $4, $5, $5 from %1$s_versions v where v.template_id = $1
       returning id, revision', v_of)
       into v_draft using v_template, p_draft->'variables', p_draft->'samples', p_draft->>'by', p_now;
  else
    execute format(
      'update %s_versions v
          set variables = $2, samples = $3, created_by = $4, updated_at = $5, revision = v.revision + 1
        where v.id = $1
       returning id, revision', v_of)
       into v_draft using v_draft.id, p_draft->'variables', p_draft->'samples', p_draft->>'by', p_now;
    execute format('delete from %s_contents c where c.version_id = $1', v_of) using v_draft.id;
  end if;
  perform add_template_contents(v_of, v_draft.id, p_contents);
  execute format('update %ss t set updated_at = $2 where t.id = $1', v_of) using v_template, p_now;
  return '"' || v_draft.id || '.' || v_draft.revision || '"';
end
$$;
alter function save_template_draft(boolean, jsonb, jsonb, timestamptz) owner to lango_lookup;
revoke execute on function save_template_draft(boolean, jsonb, jsonb, timestamptz) from public;
grant execute on function save_template_draft(boolean, jsonb, jsonb, timestamptz) to lango_app;

-- Publishes the draft of a template of the tenant, or of the platform, with its compiled contents. Returns its number; null if the
-- draft no longer has the tag. A version of the catalogue may have taken its number or a higher one: then it gets the next.
create function publish_template_draft(p_is_platform boolean, p_draft jsonb, p_contents jsonb, p_now timestamptz)
returns integer
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  v_of constant text := case when p_is_platform then 'platform_template' else 'template' end;
  v_template constant uuid := lock_template(v_of, p_draft->>'path');
  v_draft uuid;
  v_version integer;
begin
  execute format(
    'select v.id from %s_versions v
      where v.template_id = $1 and v.published_at is null and ''"'' || v.id || ''.'' || v.revision || ''"'' = $2', v_of)
     into v_draft using v_template, p_draft->>'tag';
  if v_draft is null then return null; end if;
  execute format('delete from %s_contents c where c.version_id = $1', v_of) using v_draft;
  execute format(
    'update %1$s_versions v
        set version = greatest(v.version, (
              select max(o.version) + 1 from %1$s_versions o where o.template_id = v.template_id and o.id <> v.id)),
            variables = $2, samples = $3, digest = $4, created_by = $5, updated_at = $6, published_at = $6
      where v.id = $1
     returning version', v_of)
     into v_version
    using v_draft, p_draft->'variables', p_draft->'samples',
          sha256(convert_to(p_draft->>'variables' || p_contents::text, 'utf8')), p_draft->>'by', p_now;
  perform add_template_contents(v_of, v_draft, p_contents);
  execute format('update %ss t set live_version = $2, category = $3, updated_at = $4 where t.id = $1', v_of)
    using v_template, v_version, p_draft->>'category', p_now;
  perform notify_template_published(p_is_platform);
  return v_version;
end
$$;
alter function publish_template_draft(boolean, jsonb, jsonb, timestamptz) owner to lango_lookup;
revoke execute on function publish_template_draft(boolean, jsonb, jsonb, timestamptz) from public;
grant execute on function publish_template_draft(boolean, jsonb, jsonb, timestamptz) to lango_app;

-- Publishes a copy of a published version of a template of the tenant, or of the platform. Returns its number; null if not found.
create function roll_template_back(p_is_platform boolean, p_path text, p_version integer, p_by text, p_now timestamptz)
returns integer
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  v_of constant text := case when p_is_platform then 'platform_template' else 'template' end;
  v_template constant uuid := lock_template(v_of, p_path);
  v_from uuid;
  v_to record;
begin
  execute format(
    'select v.id from %s_versions v where v.template_id = $1 and v.version = $2 and v.published_at is not null', v_of)
     into v_from using v_template, p_version;
  if v_from is null then return null; end if;
  execute format(
    'insert into %1$s_versions (template_id, version, variables, samples, digest, created_by, created_at, updated_at, published_at)
     select f.template_id, (select max(v.version) + 1 from %1$s_versions v where v.template_id = f.template_id), f.variables,
            f.samples, f.digest, $2, $3, $3, $3
       from %1$s_versions f where f.id = $1
     returning id, version', v_of)
     into v_to using v_from, p_by, p_now;
  execute format(
    'insert into %1$s_contents (version_id, channel, locale, subject, source, html, text, whatsapp_name)
     select $2, c.channel, c.locale, c.subject, c.source, c.html, c.text, c.whatsapp_name
       from %1$s_contents c where c.version_id = $1', v_of) using v_from, v_to.id;
  execute format('update %ss t set live_version = $2, updated_at = $3 where t.id = $1', v_of) using v_template, v_to.version, p_now;
  perform notify_template_published(p_is_platform);
  return v_to.version;
end
$$;
alter function roll_template_back(boolean, text, integer, text, timestamptz) owner to lango_lookup;
revoke execute on function roll_template_back(boolean, text, integer, text, timestamptz) from public;
grant execute on function roll_template_back(boolean, text, integer, text, timestamptz) to lango_app;

-- Ends the override of a template, or withdraws a template of the tenant's own. For the platform, the catalogue's newest version
-- comes into force. Deletes the draft. Published versions stay: messages refer to them. Returns whether the template was found.
create function end_template_override(p_is_platform boolean, p_path text, p_now timestamptz)
returns boolean
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  v_of constant text := case when p_is_platform then 'platform_template' else 'template' end;
  v_template constant uuid := lock_template(v_of, p_path);
begin
  if v_template is null then return false; end if;
  execute format('delete from %s_versions v where v.template_id = $1 and v.published_at is null', v_of) using v_template;
  execute format(
    'update %1$ss t
        set live_version = (select max(v.version) from %1$s_versions v
                             where v.template_id = $1 and $2 and v.created_by = ''platform''),
            updated_at = $3
      where t.id = $1', v_of) using v_template, p_is_platform, p_now;
  execute format(
    'delete from %1$ss t where t.id = $1 and not exists (select from %1$s_versions v where v.template_id = t.id)', v_of)
    using v_template;
  perform notify_template_published(p_is_platform);
  return true;
end
$$;
alter function end_template_override(boolean, text, timestamptz) owner to lango_lookup;
revoke execute on function end_template_override(boolean, text, timestamptz) from public;
grant execute on function end_template_override(boolean, text, timestamptz) to lango_app;

-- Publishes a template of the platform if the catalogue has changed it. What the platform owner published stays in force.
-- Returns whether it did.
create function publish_platform_template(p_template jsonb, p_contents jsonb, p_now timestamptz)
returns boolean
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  v_template platform_templates;
  v_digest constant bytea := decode(p_template->>'digest', 'hex');
  v_is_edited boolean;
  v_version platform_template_versions;
begin
  insert into platform_templates (path, category, created_at, updated_at)
  values (p_template->>'path', p_template->>'category', p_now, p_now)
  on conflict on constraint platform_templates__path_unique do nothing;
  select * into strict v_template from platform_templates t where t.path = p_template->>'path' for update;
  if v_digest = (select v.digest from platform_template_versions v
                  where v.template_id = v_template.id and v.created_by = 'platform' and v.published_at is not null
                  order by v.version desc limit 1) then
    return false;
  end if;
  v_is_edited := exists (select from platform_template_versions v
                          where v.template_id = v_template.id and v.version = v_template.live_version and v.created_by <> 'platform');
  insert into platform_template_versions (template_id, version, variables, samples, digest, created_by, created_at, updated_at,
    published_at)
  select v_template.id, coalesce(max(v.version), 0) + 1, p_template->'variables', p_template->'samples', v_digest,
         'platform', p_now, p_now, p_now
    from platform_template_versions v where v.template_id = v_template.id
  returning * into v_version;
  insert into platform_template_contents (version_id, channel, locale, subject, source, html, text, whatsapp_name)
  select v_version.id, c.channel, c.locale, c.subject, c.source, c.html, c.text, c.whatsapp_name
    from jsonb_to_recordset(p_contents) as c (channel text, locale text, subject text, source text, html text, text text,
      whatsapp_name text);
  update platform_templates t
     set live_version = case when v_is_edited then t.live_version else v_version.version end, category = p_template->>'category',
         updated_at = p_now
   where t.id = v_template.id;
  perform pg_notify('notifications_changed', 'template');
  return true;
end
$$;
alter function publish_platform_template(jsonb, jsonb, timestamptz) owner to lango_lookup;
revoke execute on function publish_platform_template(jsonb, jsonb, timestamptz) from public;
grant execute on function publish_platform_template(jsonb, jsonb, timestamptz) to lango_app;

-- The newest versions of the catalogue's templates, with the digests of their sources.
create function list_platform_digests()
returns table (path text, digest bytea)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select distinct on (t.path) t.path, v.digest from platform_templates t join platform_template_versions v on v.template_id = t.id
   where v.created_by = 'platform' and v.published_at is not null
   order by t.path, v.version desc
$$;
alter function list_platform_digests() owner to lango_lookup;
revoke execute on function list_platform_digests() from public;
grant execute on function list_platform_digests() to lango_app;

grant select (tenant_id, id, purged_at) on messages to lango_lookup;
grant select, delete on idempotency_keys to lango_lookup;
create policy messages__lookup on messages for select to lango_lookup using (true);
create policy idempotency_keys__lookup on idempotency_keys to lango_lookup using (true);

-- The tenants with messages that were created before the time of these ids, and still have data or exist at all. One after the other:
-- a cluster refuses a condition for each row of a table that every node has.
create function tenants_to_purge(p_data_before uuid, p_rows_before uuid, p_after uuid, p_max integer)
returns setof uuid
language plpgsql stable security definer
set search_path = public, pg_temp
as $$
declare
  v_tenant uuid;
  v_found integer := 0;
begin
  for v_tenant in select t.id from tenants t where p_after is null or t.id > p_after order by t.id loop
    if exists (select from messages m where m.tenant_id = v_tenant and m.purged_at is null and m.id < p_data_before)
       or exists (select from messages m where m.tenant_id = v_tenant and m.id < p_rows_before) then
      return next v_tenant;
      v_found := v_found + 1;
      exit when v_found = p_max;
    end if;
  end loop;
end
$$;
alter function tenants_to_purge(uuid, uuid, uuid, integer) owner to lango_lookup;
revoke execute on function tenants_to_purge(uuid, uuid, uuid, integer) from public;
grant execute on function tenants_to_purge(uuid, uuid, uuid, integer) to lango_app;

-- Removes at most p_max rows of every tenant from a table, the time of which is before p_before: tenant by tenant, because a cluster
-- removes no chosen rows of several tenants by one statement. Returns how many it chose.
create function purge_old_rows(p_table text, p_key text, p_time text, p_before timestamptz, p_max integer)
returns integer
language plpgsql
set search_path = public, pg_temp
as $$
declare
  v_tenant uuid;
  v_keys text[];
  v_type constant text := (select format_type(a.atttypid, null) from pg_attribute a
                            where a.attrelid = p_table::regclass and a.attname = p_key);
  v_chosen integer := 0;
begin
  for v_tenant, v_keys in
    execute format('select r.tenant_id, array_agg(r.key) from (
        select tenant_id, %I::text as key from %I where %s < $1 limit $2) r group by r.tenant_id', p_key, p_table, p_time)
      using p_before, p_max
  loop
    execute format('delete from %I where tenant_id = $1 and %I = any ($2::%s[]) and %s < $3', p_table, p_key, v_type, p_time)
      using v_tenant, v_keys, p_before;
    v_chosen := v_chosen + cardinality(v_keys);
  end loop;
  return v_chosen;
end
$$;
revoke execute on function purge_old_rows(text, text, text, timestamptz, integer) from public;
grant execute on function purge_old_rows(text, text, text, timestamptz, integer) to lango_lookup;

-- Removes rows of every tenant that have expired, and minutes and reports of providers that went with their tenant, at most p_max of
-- each table. Returns the largest number of one table. Keys of
-- requests stay an hour longer, so that no request that runs now loses the key that it has found.
create function purge_expired(p_now timestamptz, p_max integer)
returns integer
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  v_rows integer;
  v_reports integer;
  v_minutes integer;
  v_everywhere integer;
  v_links integer;
begin
  select max(purge_old_rows(k.name, k.key, k.time, k.before, p_max)) into v_rows
    from (values
      ('idempotency_keys', 'key_hash', 'expires_at', p_now - interval '1 hour'),
      ('suppressions', 'id', 'expires_at', p_now),
      ('contact_codes', 'id', 'sent_at', p_now - interval '1 day'),
      ('redrives', 'id', 'created_at', p_now - interval '90 days'),
      ('reputation_hours', 'hour', 'hour', p_now - interval '2 days'),
      ('digest_windows', 'id', 'closed_at', p_now - interval '90 days')) k (name, key, time, before);
  delete from provider_reports where id = any (array(
    select r.id from provider_reports r
     where r.received_at < p_now - interval '7 days' or not exists (select from every_provider p where p.id = r.provider_id)
     limit p_max));
  get diagnostics v_reports = row_count;
  delete from provider_minutes d using (
    select m.provider_id, m.minute from provider_minutes m
     where m.minute < p_now - interval '1 day' or not exists (select from every_provider p where p.id = m.provider_id)
     limit p_max) o
   where d.provider_id = o.provider_id and d.minute = o.minute;
  get diagnostics v_minutes = row_count;
  delete from platform_suppressions where id = any (array(
    select s.id from platform_suppressions s where s.expires_at < p_now limit p_max));
  get diagnostics v_everywhere = row_count;
  delete from link_mails where event_id = any (array(
    select l.event_id from link_mails l where l.expires_at < p_now limit p_max));
  get diagnostics v_links = row_count;
  return greatest(v_rows, v_reports, v_minutes, v_everywhere, v_links);
end
$$;
alter function purge_expired(timestamptz, integer) owner to lango_lookup;
revoke execute on function purge_expired(timestamptz, integer) from public;
grant execute on function purge_expired(timestamptz, integer) to lango_app;

-- A message with a secret loses its data when nothing of it is left to send.
create function drop_secret()
returns trigger
language plpgsql
set search_path = public, pg_temp
as $$
begin
  new.data := null;
  new.data_key_id := null;
  return new;
end
$$;
create trigger messages__secret before insert or update of pending on messages
  for each row when (new.has_secret and new.pending = 0) execute function drop_secret();

-- Services of other teams send through few keys and addresses: the channels' limits by tenant are the narrow ones.
update rate_limit_config set requests = 60000 where window_seconds = 60 and requests in (6000, 3000);

create table contact_codes (
  tenant_id uuid not null,
  id uuid not null default gen_random_uuid(),
  user_id uuid not null,
  contact_id uuid not null,
  address_key bytea not null,
  code_hash bytea,
  tries integer not null default 0,
  sent_at timestamptz not null,
  constraint contact_codes__pkey primary key (tenant_id, id),
  constraint contact_codes__recipient_fkey
    foreign key (tenant_id, user_id) references recipients (tenant_id, id) on update cascade on delete cascade
);
create index contact_codes__user on contact_codes (user_id, sent_at);
create index contact_codes__address on contact_codes (address_key, sent_at);
create index contact_codes__contact on contact_codes (tenant_id, contact_id, sent_at);
create index contact_codes__old on contact_codes (sent_at);
comment on table contact_codes is 'Codes that were sent to prove an address. A row stays for a while, because codes are counted by address and by person.';
comment on column contact_codes.contact_id is 'No reference: who removes an address and adds it again gets no further codes.';
comment on column contact_codes.code_hash is 'HMAC of the code; null once it was used.';
grant select, insert, update, delete on contact_codes to lango_app;
grant select on contact_codes to lango_platform;
grant select, delete on contact_codes to lango_lookup;
alter table contact_codes enable row level security;
alter table contact_codes force row level security;
create policy contact_codes__tenant on contact_codes using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy contact_codes__platform on contact_codes for select to lango_platform using (true);
create policy contact_codes__lookup on contact_codes to lango_lookup using (true);

-- The time of the code that counts against another one now: the third newest of the address, or the tenth newest of the person, in
-- every tenant. Null if a code may be sent. Until the end of the transaction no other code of either is sent.
create function contact_code_in_the_way(p_user uuid, p_keys bytea[], p_since timestamptz)
returns timestamptz
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  v_sent_at timestamptz;
begin
  perform pg_advisory_xact_lock(hashtextextended('contact codes of ' || p_user, 0));
  perform pg_advisory_xact_lock(hashtextextended('contact codes to ' || encode(p_keys[1], 'hex'), 0));
  select max(c.sent_at) into v_sent_at from (
    (select a.sent_at from contact_codes a where a.address_key = any (p_keys) and a.sent_at > p_since
      order by a.sent_at desc offset 2 limit 1)
    union all
    (select u.sent_at from contact_codes u where u.user_id = p_user and u.sent_at > p_since
      order by u.sent_at desc offset 9 limit 1)) c;
  return v_sent_at;
end
$$;
alter function contact_code_in_the_way(uuid, bytea[], timestamptz) owner to lango_lookup;
revoke execute on function contact_code_in_the_way(uuid, bytea[], timestamptz) from public;
grant execute on function contact_code_in_the_way(uuid, bytea[], timestamptz) to lango_app;

create table key_renewals (
  key_id text not null constraint key_renewals__pkey primary key,
  first_seen_at timestamptz not null,
  after_tenant uuid,
  found_so_far jsonb not null default '{}',
  found jsonb,
  passed_at timestamptz,
  finished_at timestamptz
);
comment on table key_renewals is 'By newest key-encryption key: how far sealed values under older keys are encrypted again, pass by pass over all tenants.';
comment on column key_renewals.after_tenant is 'Up to this tenant the current pass is done; null: it has not begun.';
comment on column key_renewals.found is 'Rows under an older key that the last complete pass found, by table. Null before the first one.';
comment on column key_renewals.finished_at is 'When the last pass found nothing. It does not count once another key was first seen later.';
grant select, insert, update on key_renewals to lango_app;
grant select on key_renewals to lango_platform;

-- Providers of the platform and of every tenant whose credentials are under an older key.
create function list_older_credentials(p_newest text, p_after uuid, p_max integer)
returns table (id uuid, key_id text, sealed bytea)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select p.id, p.credentials_key_id, p.credentials
    from (select o.id, o.credentials_key_id, o.credentials from providers o
          union all
          select a.id, a.credentials_key_id, a.credentials from platform_providers a) p
   where p.credentials_key_id <> p_newest and p.id > p_after
   order by p.id limit p_max
$$;
alter function list_older_credentials(text, uuid, integer) owner to lango_lookup;
revoke execute on function list_older_credentials(text, uuid, integer) from public;
grant execute on function list_older_credentials(text, uuid, integer) to lango_app;

-- Replaces credentials that were encrypted again, unless they were changed meanwhile.
create function replace_credentials(p_items jsonb)
returns void
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  v_is_platform boolean;
begin
  foreach v_is_platform in array array[false, true] loop
    execute format('update %I p set credentials_key_id = i.key_id, credentials = decode(i.sealed, ''hex'')
        from jsonb_to_recordset($1) as i (id uuid, was text, key_id text, sealed text)
       where p.id = i.id and p.credentials = decode(i.was, ''hex'')', table_of_providers(v_is_platform)) using p_items;
  end loop;
end
$$;
alter function replace_credentials(jsonb) owner to lango_lookup;
revoke execute on function replace_credentials(jsonb) from public;
grant execute on function replace_credentials(jsonb) to lango_app;

-- How many suppressions that count are found by another key than the newest: they cannot be renewed.
create function count_older_suppressions(p_newest text, p_now timestamptz)
returns bigint
language sql stable security definer
set search_path = public, pg_temp
as $$
  select count(*)
    from (select s.address_key_id, s.expires_at from suppressions s
          union all
          select p.address_key_id, p.expires_at from platform_suppressions p) s
   where s.address_key_id <> p_newest and (s.expires_at is null or s.expires_at > p_now)
$$;
alter function count_older_suppressions(text, timestamptz) owner to lango_lookup;
revoke execute on function count_older_suppressions(text, timestamptz) from public;
grant execute on function count_older_suppressions(text, timestamptz) to lango_app;
