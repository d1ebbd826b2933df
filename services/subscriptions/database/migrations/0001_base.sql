-- breaking: no
-- The subscription service's tables as they are now. Prices are in the currency's lowest units, instants in UTC.

-- catalogue: the same for every tenant ------------------------------------------------------------------------------

create table bundles (
  code text not null,
  name text not null,
  products text[] not null,
  created_at timestamptz not null default now(),
  constraint bundles__pkey primary key (code),
  constraint bundles__code_form check (code ~ '^[a-z][a-z0-9_]{1,62}$'),
  constraint bundles__products_some check (cardinality(products) between 1 and 100)
);
comment on table bundles is 'Products that are sold together';
comment on column bundles.products is 'Product ids; * means all products, and is expanded when read';

create table features (
  code text not null,
  kind text not null,
  description text not null,
  created_at timestamptz not null default now(),
  constraint features__pkey primary key (code),
  constraint features__code_form check (code ~ '^[a-z][a-z0-9_]{1,62}$'),
  constraint features__kind_known check (kind in ('boolean', 'limit', 'metered'))
);
comment on table features is 'What a plan can switch on, bound or measure';
comment on column features.kind is 'boolean: on or off. limit: so many at most, or so many a day. metered: counted, and billed beyond what is included';

create table plans (
  code text not null,
  name text not null,
  position integer not null,
  retired_at timestamptz,
  created_at timestamptz not null default now(),
  constraint plans__pkey primary key (code),
  constraint plans__position_unique unique (position),
  constraint plans__code_form check (code ~ '^[A-Z][A-Z0-9_]{1,62}$')
);
comment on table plans is 'What a tenant can subscribe to; what it holds and costs is in its versions';
comment on column plans.position is 'Place in the list of plans, the smallest first';
comment on column plans.retired_at is 'From then on it cannot be selected; tenants that have it keep it';

create table plan_versions (
  id uuid not null default gen_random_uuid(),
  plan_code text not null,
  version integer not null,
  bundle_code text not null,
  price_minor bigint not null,
  currency text not null,
  billing_interval text not null,
  trial_days integer not null,
  grace_days integer not null,
  features text[] not null,
  limits jsonb not null,
  created_at timestamptz not null default now(),
  constraint plan_versions__pkey primary key (id),
  constraint plan_versions__version_unique unique (plan_code, version),
  constraint plan_versions__plan_fkey foreign key (plan_code) references plans (code),
  constraint plan_versions__bundle_fkey foreign key (bundle_code) references bundles (code),
  constraint plan_versions__version_positive check (version > 0),
  constraint plan_versions__price_not_negative check (price_minor >= 0),
  constraint plan_versions__currency_form check (currency ~ '^[A-Z]{3}$'),
  constraint plan_versions__interval_known check (billing_interval in ('month', 'year')),
  constraint plan_versions__days_not_negative check (trial_days >= 0 and grace_days >= 0),
  constraint plan_versions__limits_object check (jsonb_typeof(limits) = 'object')
);
comment on table plan_versions is 'A plan as it was offered at a time. Never changed nor removed: services may only add to this table';
comment on column plan_versions.price_minor is 'Price of one interval in lowest units of the currency';
comment on column plan_versions.limits is 'Limit code to whole number; absent means 0, -1 means unlimited';

create table add_ons (
  code text not null,
  name text not null,
  created_at timestamptz not null default now(),
  constraint add_ons__pkey primary key (code),
  constraint add_ons__code_form check (code ~ '^[a-z][a-z0-9_]{1,62}$')
);
comment on table add_ons is 'What a tenant can take beside its plan; what it holds and costs is in its versions';

create table add_on_versions (
  id uuid not null default gen_random_uuid(),
  add_on_code text not null,
  version integer not null,
  price_minor bigint not null,
  currency text not null,
  billing_interval text not null,
  products text[] not null,
  features text[] not null,
  limits jsonb not null,
  created_at timestamptz not null default now(),
  constraint add_on_versions__pkey primary key (id),
  constraint add_on_versions__version_unique unique (add_on_code, version),
  constraint add_on_versions__add_on_fkey foreign key (add_on_code) references add_ons (code),
  constraint add_on_versions__version_positive check (version > 0),
  constraint add_on_versions__price_not_negative check (price_minor >= 0),
  constraint add_on_versions__currency_form check (currency ~ '^[A-Z]{3}$'),
  constraint add_on_versions__interval_known check (billing_interval in ('month', 'year')),
  constraint add_on_versions__limits_object check (jsonb_typeof(limits) = 'object')
);
comment on table add_on_versions is 'An add-on as it was offered at a time. Never changed nor removed: services may only add to this table';
comment on column add_on_versions.limits is 'Added to the limits of the plan; -1 makes the limit unlimited';

-- subscriptions: one a tenant ---------------------------------------------------------------------------------------

create table subscriptions (
  tenant_id uuid not null,
  version integer not null default 1,
  plan_version_id uuid not null,
  trial_started_at timestamptz,
  trial_ends_at timestamptz,
  period_started_at timestamptz,
  period_ends_at timestamptz,
  expires_at timestamptz not null,
  grace_until timestamptz not null,
  pending_plan_version_id uuid,
  pending_from timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint subscriptions__pkey primary key (tenant_id),
  constraint subscriptions__plan_version_fkey foreign key (plan_version_id) references plan_versions (id),
  constraint subscriptions__pending_plan_version_fkey foreign key (pending_plan_version_id) references plan_versions (id),
  constraint subscriptions__version_positive check (version > 0),
  constraint subscriptions__trial_or_period check (trial_ends_at is not null or period_ends_at is not null),
  constraint subscriptions__trial_order check (
    (trial_started_at is null) = (trial_ends_at is null) and (trial_ends_at is null or trial_started_at <= trial_ends_at)
  ),
  constraint subscriptions__period_order check (
    (period_started_at is null) = (period_ends_at is null) and (period_ends_at is null or period_started_at < period_ends_at)
  ),
  constraint subscriptions__expiry_order check (
    expires_at >= coalesce(period_ends_at, trial_ends_at) and grace_until >= expires_at
  ),
  constraint subscriptions__pending_order check (pending_from is null or pending_plan_version_id is not null)
);
comment on table subscriptions is
  'What a tenant has subscribed to, as boundaries in time. Its status is never stored: it follows from these and the time it is read at';
comment on column subscriptions.version is 'Raised by every change of this row or its add-ons';
comment on column subscriptions.trial_ends_at is 'Kept after the trial: a tenant has one trial in its life';
comment on column subscriptions.period_ends_at is 'Paid until then; null when nothing was ever paid';
comment on column subscriptions.expires_at is
  'Entitlement ends: the end of the trial, of a cancelled period, or of the time in which a failed renewal is retried';
comment on column subscriptions.grace_until is 'Until then an expired subscription keeps its features and may change things';
comment on column subscriptions.pending_plan_version_id is 'The plan that comes next';
comment on column subscriptions.pending_from is 'When the pending plan takes the place of the present one; null: not before it is paid';

create index subscriptions__plan_version_index on subscriptions (plan_version_id);
create index subscriptions__pending_plan_version_index on subscriptions (pending_plan_version_id) where pending_plan_version_id is not null;

create table subscription_add_ons (
  tenant_id uuid not null,
  add_on_version_id uuid not null,
  created_at timestamptz not null default now(),
  constraint subscription_add_ons__pkey primary key (tenant_id, add_on_version_id),
  constraint subscription_add_ons__subscription_fkey foreign key (tenant_id) references subscriptions (tenant_id) on delete cascade,
  constraint subscription_add_ons__add_on_version_fkey foreign key (add_on_version_id) references add_on_versions (id)
);
comment on table subscription_add_ons is 'Add-ons a tenant has beside its plan, for as long as the subscription lasts';

create index subscription_add_ons__add_on_version_index on subscription_add_ons (add_on_version_id);

alter table subscriptions enable row level security;
alter table subscriptions force row level security;
create policy subscriptions__tenant on subscriptions
  using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy subscriptions__platform on subscriptions for select to lango_platform using (true);

alter table subscription_add_ons enable row level security;
alter table subscription_add_ons force row level security;
create policy subscription_add_ons__tenant on subscription_add_ons
  using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy subscription_add_ons__platform on subscription_add_ons for select to lango_platform using (true);

-- API keys of the services that ask ---------------------------------------------------------------------------------

create table api_keys (
  id text not null,
  secret_hash bytea not null,
  source text not null,
  caller text,
  permissions text[] not null default '{}',
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  constraint api_keys__pkey primary key (id),
  constraint api_keys__hash_length check (octet_length(secret_hash) = 32),
  constraint api_keys__source_known check (source in ('setting'))
);
comment on table api_keys is 'Keys that are good for all tenants, by which the other services ask';
comment on column api_keys.secret_hash is 'SHA-256 of the secret; the secret itself is kept nowhere';
comment on column api_keys.source is 'setting: it came from SUBSCRIPTIONS_API_KEYS.';
comment on column api_keys.caller is 'The service that calls with it; null: a key of an earlier release, which all services shared.';
comment on column api_keys.permissions is 'What it may be used for.';
comment on column api_keys.expires_at is 'Refused from then on; null: good until replaced';

-- who may what ------------------------------------------------------------------------------------------------------

grant select, insert, update on bundles, features, plans, add_ons to lango_app;
grant select, insert on plan_versions, add_on_versions to lango_app;
grant select, insert, update on subscriptions to lango_app;
grant select, insert, delete on subscription_add_ons to lango_app;
grant select, insert, update, delete on api_keys to lango_app;
grant select on bundles, features, plans, plan_versions, add_ons, add_on_versions, subscriptions, subscription_add_ons to lango_platform;

-- What was published stays as it was published; what a plan charges beyond its limits; versions that are no longer on offer.

alter table plan_versions add column overage jsonb not null default '{}';
alter table plan_versions add constraint plan_versions__overage_object check (jsonb_typeof(overage) = 'object');
comment on column plan_versions.overage is
  'Metric to {"unit_price_minor", "cap"}: the price of one unit beyond the limit, and how many are sold at most; absent: none are';

create table plan_version_retirements (
  plan_version_id uuid not null,
  retired_at timestamptz not null,
  constraint plan_version_retirements__pkey primary key (plan_version_id),
  constraint plan_version_retirements__plan_version_fkey foreign key (plan_version_id) references plan_versions (id)
);
comment on table plan_version_retirements is 'Versions that are no longer on offer; tenants that have one keep it. A plan is on offer in the newest version that is left';

create function refuse_change() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  raise exception 'a published version is never changed: % on % refused', tg_op, tg_table_name using errcode = 'restrict_violation';
end $$;

create trigger plan_versions__immutable before update or delete on plan_versions for each row execute function refuse_change();
create trigger plan_versions__kept before truncate on plan_versions for each statement execute function refuse_change();
create trigger add_on_versions__immutable before update or delete on add_on_versions for each row execute function refuse_change();
create trigger add_on_versions__kept before truncate on add_on_versions for each statement execute function refuse_change();

grant select, insert on plan_version_retirements to lango_app;
grant select on plan_version_retirements to lango_platform;

create table add_on_version_retirements (
  add_on_version_id uuid not null,
  retired_at timestamptz not null,
  constraint add_on_version_retirements__pkey primary key (add_on_version_id),
  constraint add_on_version_retirements__add_on_version_fkey foreign key (add_on_version_id) references add_on_versions (id)
);
comment on table add_on_version_retirements is 'Versions that are no longer on offer; tenants that have one keep it. An add-on is on offer in the newest version that is left';
grant select, insert on add_on_version_retirements to lango_app;
grant select on add_on_version_retirements to lango_platform;

-- What a subscription is paid with and what falls due of it: periods, payments, credit, quotes, overrides, the time zone of its calendar.

alter table subscriptions
  add column time_zone text not null default 'Africa/Nairobi',
  add column anchor_at timestamptz,
  add column period_number integer not null default 0,
  add column cancelled_at timestamptz,
  add column renewals_asked integer not null default 0,
  add column balance_minor bigint not null default 0,
  add column balance_currency text,
  add column overrides jsonb not null default '{"features": {}, "limits": {}, "products": []}',
  add column announced_state text,
  add column trial_ending_announced boolean not null default false,
  add column next_due_at timestamptz default '-infinity',
  add constraint subscriptions__period_number_not_negative check (period_number >= 0),
  add constraint subscriptions__balance_not_negative check (balance_minor >= 0 and (balance_minor = 0 or balance_currency is not null)),
  add constraint subscriptions__overrides_object check (jsonb_typeof(overrides) = 'object');
comment on column subscriptions.time_zone is 'Whose calendar the periods go by, as it was when the first of them was anchored';
comment on column subscriptions.anchor_at is 'Period n ends n intervals after it, at the same local time, on the last day of a month that is too short';
comment on column subscriptions.period_number is 'Which period after the anchor the present one is';
comment on column subscriptions.cancelled_at is 'Not renewed: it expires where the paid period ends';
comment on column subscriptions.renewals_asked is 'How many moments of the schedule of renewals have passed since the present period ended';
comment on column subscriptions.balance_minor is 'Credit for what is to be paid later, in lowest units';
comment on column subscriptions.overrides is 'What the platform owner has set for this tenant alone: features on or off, limits, further products';
comment on column subscriptions.announced_state is 'The status and access that were last published';
comment on column subscriptions.next_due_at is 'When something is to be done about it at the latest; null: never';

create index subscriptions__due on subscriptions (next_due_at) where next_due_at is not null;

create table paid_lines (
  id uuid not null,
  tenant_id uuid not null,
  operation_id uuid not null,
  plan_version_id uuid not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  charged_minor bigint not null,
  credited_minor bigint not null default 0,
  created_at timestamptz not null default now(),
  constraint paid_lines__subscription_fkey foreign key (tenant_id) references subscriptions (tenant_id) on delete cascade,
  constraint paid_lines__plan_version_fkey foreign key (plan_version_id) references plan_versions (id),
  constraint paid_lines__operation_unique unique (tenant_id, operation_id),
  constraint paid_lines__order check (starts_at <= ends_at),
  constraint paid_lines__credit_within_charge check (charged_minor >= 0 and credited_minor between 0 and charged_minor),
  constraint paid_lines__pkey primary key (tenant_id, id)
);
comment on table paid_lines is 'What was charged for a plan over a time, and how much of that was given back as credit: never more than was charged';
create index paid_lines__tenant_index on paid_lines (tenant_id, ends_at);
create index paid_lines__plan_version_index on paid_lines (plan_version_id);

alter table subscriptions add column line_id uuid;
alter table subscriptions add constraint subscriptions__line_fkey foreign key (tenant_id, line_id) references paid_lines (tenant_id, id) deferrable initially deferred;
comment on column subscriptions.line_id is 'What was charged for the present period; null: nothing was';
create index subscriptions__line_index on subscriptions (line_id) where line_id is not null;

create table billing_operations (
  id uuid not null,
  tenant_id uuid not null,
  kind text not null,
  status text not null,
  plan_version_id uuid not null,
  from_plan_version_id uuid not null,
  from_period_ends_at timestamptz,
  charge_minor bigint not null,
  credit_minor bigint not null,
  balance_minor bigint not null,
  amount_minor bigint not null,
  currency text not null,
  lines jsonb not null,
  attempt integer not null,
  payment_id uuid,
  failure text,
  quoted_at timestamptz,
  requested_at timestamptz not null,
  ends_at timestamptz,
  settled_at timestamptz,
  constraint billing_operations__subscription_fkey foreign key (tenant_id) references subscriptions (tenant_id) on delete cascade,
  constraint billing_operations__plan_version_fkey foreign key (plan_version_id) references plan_versions (id),
  constraint billing_operations__from_plan_version_fkey foreign key (from_plan_version_id) references plan_versions (id),
  constraint billing_operations__kind_known check (kind in ('checkout', 'change', 'renewal')),
  constraint billing_operations__status_known check (status in ('requested', 'succeeded', 'credited', 'closed')),
  constraint billing_operations__not_negative check (
    charge_minor >= 0 and credit_minor >= 0 and amount_minor >= 0 and attempt >= 0
  ),
  constraint billing_operations__adds_up check (amount_minor = charge_minor - credit_minor - balance_minor),
  constraint billing_operations__settled check ((status = 'requested') = (settled_at is null)),
  constraint billing_operations__pkey primary key (tenant_id, id)
);
comment on column billing_operations.balance_minor is 'Taken from the credit of the subscription; negative: added to it';
comment on table billing_operations is 'What the treasury was asked to collect for a plan, and what became of it';
comment on column billing_operations.status is
  'requested: not answered. succeeded: paid, and done. credited: paid when it could no longer be done; it became credit. closed: given up; paid later, it becomes credit';
comment on column billing_operations.from_period_ends_at is 'The end of the period it was reckoned for: an upgrade is for that period and no other';
comment on column billing_operations.ends_at is 'Given up then; null: not by time alone';
create unique index billing_operations__one_open on billing_operations (tenant_id) where status = 'requested';
create index billing_operations__tenant_index on billing_operations (tenant_id, requested_at);
create index billing_operations__plan_version_index on billing_operations (plan_version_id);
create index billing_operations__from_plan_version_index on billing_operations (from_plan_version_id);

create table received_payments (
  id uuid not null,
  tenant_id uuid not null,
  operation_id uuid not null,
  amount_minor bigint not null,
  currency text not null,
  received_at timestamptz not null,
  constraint received_payments__operation_fkey foreign key (tenant_id, operation_id) references billing_operations (tenant_id, id) on delete cascade,
  constraint received_payments__pkey primary key (tenant_id, id)
);
comment on table received_payments is 'What the treasury said was paid, each once: the sum is what was charged and not given back, and the credit';
create index received_payments__operation_index on received_payments (operation_id);
create index received_payments__tenant_index on received_payments (tenant_id);

create table quotes (
  id uuid not null default gen_random_uuid(),
  tenant_id uuid not null,
  subscription_version integer not null,
  plan_version_id uuid not null,
  quoted_at timestamptz not null,
  expires_at timestamptz not null,
  constraint quotes__subscription_fkey foreign key (tenant_id) references subscriptions (tenant_id) on delete cascade,
  constraint quotes__plan_version_fkey foreign key (plan_version_id) references plan_versions (id),
  constraint quotes__order check (quoted_at < expires_at),
  constraint quotes__pkey primary key (tenant_id, id)
);
comment on table quotes is
  'The input of a quoted price: calculated again from the same version at the same moment, it is the same. Removed some time after it expired';
create index quotes__tenant_index on quotes (tenant_id, expires_at);
create index quotes__plan_version_index on quotes (plan_version_id);

do $$
declare guarded text;
begin
  foreach guarded in array array['paid_lines', 'billing_operations', 'received_payments', 'quotes'] loop
    execute format('alter table %I enable row level security', guarded);
    execute format('alter table %I force row level security', guarded);
    execute format('create policy %I on %I using (tenant_id = nullif(current_setting(''app.tenant_id'', true), '''')::uuid)', guarded || '__tenant', guarded);
    execute format('create policy %I on %I for select to lango_platform using (true)', guarded || '__platform', guarded);
  end loop;
end $$;

grant select, insert, update on paid_lines, billing_operations to lango_app;
grant select, insert on received_payments to lango_app;
grant select, insert, delete on quotes to lango_app;
grant select on paid_lines, billing_operations, received_payments, quotes to lango_platform;

-- Changes by hand, with their actor.

create sequence audit_log_numbers;
comment on sequence audit_log_numbers is 'Numbers the entries of both audit logs, so that a list of both has one order';

create table audit_log (
  id bigint not null default nextval('audit_log_numbers'),
  tenant_id uuid not null,
  occurred_at timestamptz not null,
  actor_kind text not null,
  actor_id text not null,
  action text not null,
  subject text not null,
  detail jsonb not null,
  request_id text,
  address text,
  constraint audit_log__pkey primary key (tenant_id, id),
  constraint audit_log__actor_known check (actor_kind in ('user', 'client', 'key', 'system'))
);
comment on table audit_log is 'Every change of a subscription, and what became of its payments; rows are only added';
comment on column audit_log.detail is 'What was before and after';
create index audit_log__id on audit_log (id desc);
create index audit_log__tenant_time on audit_log (tenant_id, occurred_at desc, id desc);
create unique index audit_log__grant_key on audit_log (tenant_id, actor_id, (detail ->> 'idempotency_key'))
  where action = 'time.granted' and detail ? 'idempotency_key';

alter table audit_log enable row level security;
alter table audit_log force row level security;
create policy audit_log__tenant on audit_log using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy audit_log__platform on audit_log for select to lango_platform using (true);
grant select, insert on audit_log to lango_app;
grant select on audit_log to lango_platform;
create index audit_log__person on audit_log (actor_id) where actor_kind = 'user' and address is not null;
create policy audit_log__lookup on audit_log to lango_lookup using (true);
grant select, update (address) on audit_log to lango_lookup;

create table platform_audit_log (
  id bigint not null default nextval('audit_log_numbers'),
  occurred_at timestamptz not null,
  actor_kind text not null,
  actor_id text not null,
  action text not null,
  subject text not null,
  detail jsonb not null,
  request_id text,
  address text,
  constraint platform_audit_log__pkey primary key (id),
  constraint platform_audit_log__actor_known check (actor_kind in ('user', 'client', 'key', 'system'))
);
comment on table platform_audit_log is 'Every change of the catalogue, which is the same for all tenants';
create index platform_audit_log__person on platform_audit_log (actor_id) where actor_kind = 'user' and address is not null;

-- A list of entries reads these, too: it shows them to the platform's owner.
alter table platform_audit_log enable row level security;
alter table platform_audit_log force row level security;
create policy platform_audit_log__added on platform_audit_log for insert to lango_app
  with check (nullif(current_setting('app.tenant_id', true), '') is null);
create policy platform_audit_log__platform on platform_audit_log for select to lango_platform using (true);
create policy platform_audit_log__lookup on platform_audit_log to lango_lookup using (true);
grant select, insert on platform_audit_log to lango_app;
grant usage on sequence audit_log_numbers to lango_app;
grant select on platform_audit_log to lango_platform;
grant select, update (address) on platform_audit_log to lango_lookup;

-- Removes from where a person made changes, in all tenants and of the platform; who changed what stays. Runs as the look-up role: the
-- event names no tenant.
create function erase_user(p_subject uuid)
returns void
language sql security definer
set search_path = public, pg_temp
as $$
  update audit_log set address = null where actor_kind = 'user' and actor_id = p_subject::text and address is not null;
  update platform_audit_log set address = null where actor_kind = 'user' and actor_id = p_subject::text and address is not null
$$;
alter function erase_user(uuid) owner to lango_lookup;
revoke execute on function erase_user(uuid) from public;
grant execute on function erase_user(uuid) to lango_app;

-- The time zones of tenants; and, outside production, their clocks and how their payments turn out.

create table tenant_calendars (
  tenant_id uuid not null,
  time_zone text not null,
  version integer not null,
  slug text,
  constraint tenant_calendars__pkey primary key (tenant_id)
);
comment on table tenant_calendars is 'The time zone and the slug of a tenant, from the events of the sign-on service';
comment on column tenant_calendars.slug is 'The slug of the tenant, for the events about it; null if it is not known yet';
comment on column tenant_calendars.version is 'Of the tenant at the sign-on service; a lower one is ignored';

create table test_clocks (
  tenant_id uuid not null,
  now_at timestamptz not null,
  constraint test_clocks__pkey primary key (tenant_id)
);
comment on table test_clocks is 'Outside production: the time it is for a tenant, which does not move by itself. Empty in production, and not read there';

create table sandbox_answers (
  tenant_id uuid not null,
  answer text not null,
  constraint sandbox_answers__pkey primary key (tenant_id),
  constraint sandbox_answers__known check (answer in ('pays', 'refuses', 'silent'))
);
comment on table sandbox_answers is 'Outside production: how what a tenant has to pay turns out, instead of as the setting says';

do $$
declare guarded text;
begin
  foreach guarded in array array['tenant_calendars', 'test_clocks', 'sandbox_answers'] loop
    execute format('alter table %I enable row level security', guarded);
    execute format('alter table %I force row level security', guarded);
    execute format('create policy %I on %I using (tenant_id = nullif(current_setting(''app.tenant_id'', true), '''')::uuid)', guarded || '__tenant', guarded);
    execute format('create policy %I on %I for select to lango_platform using (true)', guarded || '__platform', guarded);
  end loop;
end $$;

grant select, insert, update, delete on tenant_calendars, test_clocks, sandbox_answers to lango_app;
grant delete on subscriptions to lango_app;
grant select on tenant_calendars, test_clocks, sandbox_answers to lango_platform;

-- what tenants use ---------------------------------------------------------------------------------------------------

create table usage_counters (
  tenant_id uuid not null,
  metric text not null,
  window_key text not null,
  starts_at timestamptz not null,
  used bigint not null default 0,
  overage bigint not null default 0,
  limit_value bigint,
  warned_for text not null,
  warned_percent smallint not null default 0,
  due_percent smallint not null default 0,
  warned_limit bigint,
  constraint usage_counters__pkey primary key (tenant_id, metric, window_key),
  constraint usage_counters__overage_not_negative check (overage >= 0)
) with (fillfactor = 50);
comment on table usage_counters is 'How much of a metric a tenant has used in one window';
comment on column usage_counters.warned_limit is 'The greatest limit it was counted by for this warned_for: under a greater one warnings begin again. As large as can be: unlimited';
comment on column usage_counters.window_key is
  'day:2026-03-01 (a date of the tenant''s calendar), period:<start of the subscription period>, or standing';
comment on column usage_counters.overage is 'How much of it was above the limit that held at the time';
comment on column usage_counters.limit_value is 'The limit that held when it last changed; -1: unlimited, null: none bounds it';
comment on column usage_counters.warned_for is 'The window or period the warnings below are of';
comment on column usage_counters.due_percent is 'The warning that is due; published once warned_percent has reached it';
create index usage_counters__due_index on usage_counters (tenant_id) where due_percent > warned_percent;
create index usage_counters__starts_at_index on usage_counters (starts_at) where window_key <> 'standing';

create table usage_reports (
  tenant_id uuid not null,
  id text not null,
  metric text not null,
  value bigint not null,
  reported_at timestamptz not null,
  received_at timestamptz not null,
  metadata jsonb,
  constraint usage_reports__pkey primary key (tenant_id, id)
);
comment on table usage_reports is 'Reports of usage and overage that were counted, kept so that none is counted twice';
create index usage_reports__received_at_index on usage_reports (received_at);

create table usage_consumptions (
  tenant_id uuid not null,
  id text not null,
  metric text not null,
  limit_code text not null,
  value bigint not null,
  window_key text not null,
  period_starts_at timestamptz not null,
  consumed_at timestamptz not null,
  released_at timestamptz,
  constraint usage_consumptions__pkey primary key (tenant_id, id),
  constraint usage_consumptions__value_not_negative check (value >= 0)
);
comment on table usage_consumptions is 'What was consumed under an id, so that it is consumed once and can be given back';
comment on column usage_consumptions.value is '0 with released_at: given back before it was consumed';
create index usage_consumptions__consumed_at_index on usage_consumptions (consumed_at) where window_key <> 'standing';
create index usage_consumptions__released_at_index on usage_consumptions (released_at) where released_at is not null;

create table overage_lines (
  tenant_id uuid not null,
  metric text not null,
  period_starts_at timestamptz not null,
  unit_price_minor bigint not null,
  currency text not null,
  units bigint not null default 0,
  taken_units bigint not null default 0,
  constraint overage_lines__pkey primary key (tenant_id, metric, period_starts_at, unit_price_minor, currency),
  constraint overage_lines__price_positive check (unit_price_minor > 0),
  constraint overage_lines__units_not_negative check (units >= 0 and taken_units >= 0)
);
comment on table overage_lines is 'Overage that has a price, by subscription period; billed when the period ends';
comment on column overage_lines.period_starts_at is 'When the subscription period began in which it was used';
comment on column overage_lines.units is 'As many as are billed: what a window has above the cap of the plan is not among them';
comment on column overage_lines.taken_units is 'How many of them were billed';

-- Adds to a counter; what comes on top of the limit is overage. Nothing is added, and nothing returned, where the counter
-- would pass p_ceiling (-1: without a ceiling). The row stays locked until the transaction ends: a later caller waits, and sees it.
create function count_usage(
  p_tenant uuid, p_metric text, p_window text, p_starts timestamptz, p_delta bigint, p_limit bigint, p_warn_for text, p_ceiling bigint)
returns table (used bigint, overage bigint, added_overage bigint, is_due boolean)
language plpgsql volatile set search_path = public, pg_temp set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  v_limit bigint := case when p_limit < 0 then 9223372036854775807 else p_limit end;
  v_overage bigint;
begin
  for attempt in 1..2 loop
    -- "returning" has no old values before PostgreSQL 18. An increase is calculated from the new ones; a decrease that ends at 0 is not.
    if p_delta < 0 then
      select c.overage into v_overage from usage_counters c
       where c.tenant_id = p_tenant and c.metric = p_metric and c.window_key = p_window for update;
    end if;
    return query
      update usage_counters c
         set used = c.used + p_delta,
             overage = case when p_delta < 0 then greatest(0, c.overage + p_delta)
                            when p_limit >= 0 then c.overage + greatest(0, c.used + p_delta - greatest(p_limit, c.used))
                            else c.overage end,
             limit_value = p_limit,
             warned_for = p_warn_for,
             warned_limit = case when c.warned_for = p_warn_for then greatest(c.warned_limit, v_limit) else v_limit end,
             warned_percent = case when c.warned_for = p_warn_for and (v_limit > coalesce(c.warned_limit, c.limit_value)) is not true
                                   then c.warned_percent else 0 end,
             due_percent = greatest(
               case when c.warned_for = p_warn_for and (v_limit > coalesce(c.warned_limit, c.limit_value)) is not true
                    then c.due_percent else 0 end,
               case when p_limit is null or p_limit <= 0 then 0 when c.used + p_delta >= p_limit then 100
                    when (c.used + p_delta) * 5 >= p_limit * 4 then 80 else 0 end)
       where c.tenant_id = p_tenant and c.metric = p_metric and c.window_key = p_window
         and (p_ceiling < 0 or c.used + p_delta <= p_ceiling)
      returning c.used, c.overage,
             case when p_delta < 0 then c.overage - v_overage
                  when p_limit >= 0 then greatest(0, c.used - greatest(p_limit, c.used - p_delta))
                  else 0 end,
             c.due_percent > c.warned_percent;
    exit when found or attempt = 2;
    insert into usage_counters (tenant_id, metric, window_key, starts_at, warned_for)
    values (p_tenant, p_metric, p_window, p_starts, p_warn_for)
    on conflict do nothing;
  end loop;
end $$;

-- Adds units to what a period's overage will be billed, or takes them away.
create function bill_overage(p_tenant uuid, p_metric text, p_period timestamptz, p_units bigint, p_price bigint, p_currency text)
returns void
language sql volatile set search_path = public, pg_temp set enable_seqscan = off
as $$
  insert into overage_lines as l (tenant_id, metric, period_starts_at, unit_price_minor, currency, units)
  values (p_tenant, p_metric, p_period, p_price, p_currency, greatest(0, p_units))
  on conflict (tenant_id, metric, period_starts_at, unit_price_minor, currency) do update set units = greatest(0, l.units + p_units);
$$;

-- Counts reports once each. p_events: id, metric, value, at, metadata, and by what they are counted (window, starts_at,
-- limit, warn_for, period, price, currency, cap). "stale": the subscription is not at p_version any more; nothing was counted.
create function report_usage(p_tenant uuid, p_version integer, p_events jsonb, p_now timestamptz) returns jsonb
language plpgsql volatile set search_path = public, pg_temp set enable_seqscan = off
as $$
declare
  v_group record;
  v_counted record;
  v_accepted integer := 0;
  v_billed bigint;
  v_due jsonb := '[]';
begin
  perform set_config('app.tenant_id', p_tenant::text, true);
  perform from subscriptions s where s.tenant_id = p_tenant and s.version = p_version;
  if not found then
    return jsonb_build_object('outcome', 'stale');
  end if;
  for v_group in
    with given as (
      select distinct on (e.id) e.*
        from rows from (jsonb_to_recordset(p_events) as (id text, metric text, value bigint, at timestamptz, metadata jsonb, window_key text,
               starts_at timestamptz, limit_value bigint, warn_for text, period timestamptz, price bigint, currency text, cap bigint))
             with ordinality as e (id, metric, value, at, metadata, window_key, starts_at, limit_value, warn_for, period, price, currency,
               cap, position)
       order by e.id, e.position
    ), fresh as (
      insert into usage_reports as r (tenant_id, id, metric, value, reported_at, received_at, metadata)
      select p_tenant, g.id, g.metric, g.value, g.at, p_now, g.metadata from given g order by g.id
      on conflict (tenant_id, id) do nothing
      returning r.id
    )
    select g.metric, g.window_key, min(g.starts_at) as starts_at, sum(g.value)::bigint as delta, count(*)::integer as events,
           g.limit_value, min(g.warn_for) as warn_for, g.period, g.price, g.currency, g.cap
      from given g join fresh f on f.id = g.id
     group by g.metric, g.window_key, g.period, g.limit_value, g.price, g.currency, g.cap
     order by g.metric, g.window_key, g.period, g.limit_value, g.price, g.currency, g.cap
  loop
    v_accepted := v_accepted + v_group.events;
    select c.* into v_counted
      from count_usage(p_tenant, v_group.metric, v_group.window_key, v_group.starts_at, v_group.delta, v_group.limit_value,
             v_group.warn_for, -1) c;
    v_billed := least(v_counted.overage, v_group.cap) - least(v_counted.overage - v_counted.added_overage, v_group.cap);
    if v_group.price is not null and v_billed <> 0 then
      perform bill_overage(p_tenant, v_group.metric, v_group.period, v_billed, v_group.price, v_group.currency);
    end if;
    if v_counted.is_due then
      v_due := v_due || jsonb_build_object('metric', v_group.metric, 'window_key', v_group.window_key);
    end if;
  end loop;
  return jsonb_build_object('outcome', 'counted', 'accepted', v_accepted, 'due', v_due);
end $$;

-- Consumes so much of a metric under an id, once, and never past p_ceiling: the limit, or what is sold beyond it where
-- overage has a price. Outcomes: consumed, repeated (that id did it before), released (it was given back), differs (that
-- id consumed something else), limit_reached, stale (the subscription is not at p_version any more).
create function consume_usage(
  p_tenant uuid, p_version integer, p_id text, p_metric text, p_limit text, p_value bigint, p_limit_value bigint, p_ceiling bigint,
  p_window text, p_starts timestamptz, p_warn_for text, p_period timestamptz, p_price bigint, p_currency text, p_now timestamptz)
returns table (outcome text, used bigint, overage bigint, is_due boolean)
language plpgsql volatile set search_path = public, pg_temp set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  v_tenant text := set_config('app.tenant_id', p_tenant::text, true);
  v_known record;
  v_counted record;
begin
  select s.version, c.used, c.overage into v_known
    from subscriptions s
    left join usage_counters c on c.tenant_id = s.tenant_id and c.metric = p_metric and c.window_key = p_window
   where s.tenant_id = p_tenant;
  if v_known.version is distinct from p_version then
    return query select 'stale', 0::bigint, 0::bigint, false;
    return;
  end if;
  if p_ceiling >= 0 and coalesce(v_known.used, 0) + p_value > p_ceiling then
    -- A refused caller writes nothing, and does not wait.
    return query select f.outcome, f.used, f.overage, false from find_consumption(p_tenant, p_id, p_metric, p_limit, p_value) f;
    if not found then
      return query select 'limit_reached', coalesce(v_known.used, 0), coalesce(v_known.overage, 0), false;
    end if;
    return;
  end if;
  -- A parallel use of the same id waits here, and is its repetition. The counter is locked last, and for the shortest time.
  insert into usage_consumptions (tenant_id, id, metric, limit_code, value, window_key, period_starts_at, consumed_at)
  values (p_tenant, p_id, p_metric, p_limit, p_value, p_window, p_period, p_now)
  on conflict do nothing;
  if not found then
    return query select f.outcome, f.used, f.overage, false from find_consumption(p_tenant, p_id, p_metric, p_limit, p_value) f;
    return;
  end if;
  select c.* into v_counted
    from count_usage(p_tenant, p_metric, p_window, p_starts, p_value, p_limit_value, p_warn_for, p_ceiling) c;
  if not found then
    delete from usage_consumptions n where n.tenant_id = p_tenant and n.id = p_id;
    return query select 'limit_reached', c.used, c.overage, false from usage_counters c
                  where c.tenant_id = p_tenant and c.metric = p_metric and c.window_key = p_window;
    return;
  end if;
  if p_price is not null and v_counted.added_overage > 0 then
    perform bill_overage(p_tenant, p_metric, p_period, v_counted.added_overage, p_price, p_currency);
  end if;
  return query select 'consumed', v_counted.used, v_counted.overage, v_counted.is_due;
end $$;

-- What an id has consumed, as an outcome for a caller that sends it again; nothing when it is new.
create function find_consumption(p_tenant uuid, p_id text, p_metric text, p_limit text, p_value bigint)
returns table (outcome text, used bigint, overage bigint)
language sql volatile set search_path = public, pg_temp set enable_seqscan = off
as $$
  select case when n.value > 0 and (n.metric, n.limit_code, n.value) is distinct from (p_metric, p_limit, p_value) then 'differs'
              when n.released_at is not null then 'released'
              else 'repeated' end,
         coalesce(c.used, 0), coalesce(c.overage, 0)
    from usage_consumptions n
    left join usage_counters c on c.tenant_id = n.tenant_id and c.metric = n.metric and c.window_key = n.window_key
   where n.tenant_id = p_tenant and n.id = p_id;
$$;

-- Gives back what an id has consumed; an id that has not consumed yet never will. True when something was given back.
create function release_usage(p_tenant uuid, p_id text, p_now timestamptz) returns boolean
language plpgsql volatile set search_path = public, pg_temp set enable_seqscan = off
as $$
declare
  v_given usage_consumptions;
  v_counter usage_counters;
  v_counted record;
  v_billed record;
begin
  perform set_config('app.tenant_id', p_tenant::text, true);
  insert into usage_consumptions (tenant_id, id, metric, limit_code, value, window_key, period_starts_at, consumed_at, released_at)
  values (p_tenant, p_id, '', '', 0, '', p_now, p_now, p_now)
  on conflict do nothing;
  if found then
    return false;
  end if;
  update usage_consumptions n set released_at = p_now
   where n.tenant_id = p_tenant and n.id = p_id and n.released_at is null
  returning n.* into v_given;
  if not found then
    return false;
  end if;
  select c.* into v_counter from usage_counters c
   where c.tenant_id = p_tenant and c.metric = v_given.metric and c.window_key = v_given.window_key;
  if not found then
    return true;
  end if;
  select c.* into v_counted
    from count_usage(p_tenant, v_given.metric, v_given.window_key, v_counter.starts_at, -v_given.value, v_counter.limit_value,
           v_counter.warned_for, -1) c;
  if v_counted.added_overage < 0 then
    select o.unit_price_minor, o.currency into v_billed from overage_lines o
     where o.tenant_id = p_tenant and o.metric = v_given.metric and o.period_starts_at = v_given.period_starts_at and o.units > 0
     order by o.unit_price_minor desc, o.currency limit 1;
    update overage_lines l set units = greatest(0, l.units + v_counted.added_overage)
     where l.tenant_id = p_tenant and l.metric = v_given.metric and l.period_starts_at = v_given.period_starts_at
       and l.unit_price_minor = v_billed.unit_price_minor and l.currency = v_billed.currency;
  end if;
  return true;
end $$;

-- Records overage that a service has counted itself, once an id; beyond p_cap units of the window nothing is billed.
-- "stale" as in report_usage; "repeated": it was recorded before.
create function report_overage(
  p_tenant uuid, p_version integer, p_id text, p_metric text, p_units bigint, p_limit_value bigint, p_window text, p_starts timestamptz,
  p_warn_for text, p_period timestamptz, p_price bigint, p_currency text, p_cap bigint, p_at timestamptz, p_now timestamptz)
returns text
language plpgsql volatile set search_path = public, pg_temp set enable_seqscan = off
as $$
declare
  v_overage bigint;
begin
  perform set_config('app.tenant_id', p_tenant::text, true);
  perform from subscriptions s where s.tenant_id = p_tenant and s.version = p_version;
  if not found then
    return 'stale';
  end if;
  insert into usage_reports (tenant_id, id, metric, value, reported_at, received_at)
  values (p_tenant, p_id, p_metric, p_units, p_at, p_now)
  on conflict do nothing;
  if not found then
    return 'repeated';
  end if;
  perform count_usage(p_tenant, p_metric, p_window, p_starts, 0, p_limit_value, p_warn_for, -1);
  update usage_counters c set overage = c.overage + p_units
   where c.tenant_id = p_tenant and c.metric = p_metric and c.window_key = p_window
  returning c.overage into v_overage;
  if p_price is not null and least(v_overage, p_cap) > least(v_overage - p_units, p_cap) then
    perform bill_overage(p_tenant, p_metric, p_period, least(v_overage, p_cap) - least(v_overage - p_units, p_cap), p_price, p_currency);
  end if;
  return 'recorded';
end $$;

do $$
declare
  name text;
begin
  foreach name in array array['usage_counters', 'usage_reports', 'usage_consumptions', 'overage_lines'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format(
      'create policy %I on %I using (tenant_id = nullif(current_setting(''app.tenant_id'', true), '''')::uuid)', name || '__tenant', name);
    execute format('create policy %I on %I for select to lango_platform using (true)', name || '__platform', name);
    execute format('grant select on %I to lango_platform', name);
    execute format('grant select, insert, update, delete on %I to lango_app', name);
  end loop;
end $$;

-- Overage is billed, and add-ons are taken and dropped.

create table overage_bills (
  id uuid not null,
  tenant_id uuid not null,
  period_ends_at timestamptz not null,
  currency text not null,
  charge_minor bigint not null,
  balance_minor bigint not null,
  amount_minor bigint not null,
  lines jsonb not null,
  status text not null,
  attempt integer not null,
  next_step_at timestamptz,
  payment_id uuid,
  failure text,
  billed_at timestamptz not null,
  settled_at timestamptz,
  constraint overage_bills__subscription_fkey foreign key (tenant_id) references subscriptions (tenant_id) on delete cascade,
  constraint overage_bills__one_a_period unique (tenant_id, period_ends_at, currency),
  constraint overage_bills__status_known check (status in ('requested', 'paid', 'unpaid')),
  constraint overage_bills__adds_up check (amount_minor = charge_minor - balance_minor and balance_minor >= 0 and amount_minor >= 0),
  constraint overage_bills__countable check (charge_minor between 1 and 9007199254740991),
  constraint overage_bills__settled check ((status = 'paid') = (settled_at is not null)),
  constraint overage_bills__asked check ((status = 'requested') = (next_step_at is not null)),
  constraint overage_bills__pkey primary key (tenant_id, id)
);
comment on table overage_bills is 'What a tenant has to pay for overage, once for a period that ended; made of overage_lines at the prices stored there';
comment on column overage_bills.period_ends_at is 'Everything used in periods that began before, and not billed yet';
comment on column overage_bills.balance_minor is 'Taken from the credit of the subscription';
comment on column overage_bills.status is
  'requested: the treasury is asked for it. paid. unpaid: its retries are spent; it is owed still, and paid late it is paid';
comment on column overage_bills.next_step_at is 'When it is asked for again, or given up';
create index overage_bills__due on overage_bills (next_step_at) where next_step_at is not null;
create index overage_lines__untaken on overage_lines (tenant_id) where units > taken_units;

alter table received_payments
  alter column operation_id drop not null,
  add column bill_id uuid,
  add constraint received_payments__bill_fkey foreign key (tenant_id, bill_id) references overage_bills (tenant_id, id) on delete cascade,
  add constraint received_payments__for_one check (num_nonnulls(operation_id, bill_id) = 1);
create index received_payments__bill_index on received_payments (tenant_id, bill_id) where bill_id is not null;

alter table overage_bills enable row level security;
alter table overage_bills force row level security;
create policy overage_bills__tenant on overage_bills
  using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy overage_bills__platform on overage_bills for select to lango_platform using (true);
grant select, insert, update on overage_bills to lango_app;
grant select on overage_bills to lango_platform;

-- add-ons -----------------------------------------------------------------------------------------------------------

alter table subscriptions add column pending_add_on_version_ids uuid[];
comment on column subscriptions.pending_add_on_version_ids is 'The add-ons beside the pending plan; null: those it has';
alter table quotes add column add_on_version_ids uuid[];
comment on column quotes.add_on_version_ids is 'The add-ons that are wanted; null: those it has';
alter table billing_operations
  add column add_on_version_ids uuid[],
  add column carried_minor bigint not null default 0,
  add constraint billing_operations__carried_not_negative check (carried_minor >= 0);
comment on column billing_operations.add_on_version_ids is 'The add-ons once a change is paid; null: those it has';
comment on column billing_operations.carried_minor is 'Of what was paid before: for what is kept through a change, and neither charged nor given back';
alter table billing_operations add column closed_because text;
comment on column billing_operations.closed_because is 'Why this service gave it up itself; null: it did not';

-- What processes keep in memory --------------------------------------------------------------------------------------

-- A tenant's subscription with what belongs to the tenant alone, in one value: a new column needs no new function. Null when
-- the tenant has no subscription. What plans and add-ons hold is found by the ids of their versions.
create function read_subscription(p_tenant uuid) returns json
language plpgsql stable set search_path = public, pg_temp set enable_seqscan = off
as $$
declare
  v_tenant text := set_config('app.tenant_id', p_tenant::text, true);
begin
  return (
    select row_to_json(stored)
      from (
        select s as subscription,
               array(select o.add_on_version_id from subscription_add_ons o where o.tenant_id = p_tenant) as add_on_version_ids,
               (select c.now_at from test_clocks c where c.tenant_id = p_tenant) as test_now,
               (select c.time_zone from tenant_calendars c where c.tenant_id = p_tenant) as time_zone
          from subscriptions s
         where s.tenant_id = p_tenant) stored);
end $$;

-- Notifies every process, at the commit, that what it has cached of a tenant has changed.
create function notify_tenant_changed() returns trigger
language plpgsql set search_path = public, pg_temp
as $$
begin
  perform pg_notify('subscription_changed', case when tg_op = 'DELETE' then old.tenant_id else new.tenant_id end::text);
  return null;
end $$;
create trigger subscriptions__notify after insert or update or delete on subscriptions for each row execute function notify_tenant_changed();
create trigger subscription_add_ons__notify after insert or update or delete on subscription_add_ons
  for each row execute function notify_tenant_changed();
create trigger test_clocks__notify after insert or update or delete on test_clocks for each row execute function notify_tenant_changed();
create trigger tenant_calendars__notify after insert or update or delete on tenant_calendars
  for each row execute function notify_tenant_changed();

-- The same of what plans and add-ons hold, for all tenants. Published versions are never changed; bundles are.
create function notify_catalogue_changed() returns trigger
language plpgsql set search_path = public, pg_temp
as $$
begin
  perform pg_notify('subscription_changed', '*');
  return null;
end $$;
create trigger bundles__notify after update on bundles for each row execute function notify_catalogue_changed();

create table past_terms (
  tenant_id uuid not null,
  ended_at timestamptz not null,
  limits jsonb not null,
  overage jsonb not null,
  currency text not null,
  constraint past_terms__pkey primary key (tenant_id, ended_at),
  constraint past_terms__subscription_fkey foreign key (tenant_id) references subscriptions (tenant_id) on delete cascade
);
comment on table past_terms is 'Limits and prices of overage a tenant had before: what is reported late goes by those of its time. Kept for 8 days';
comment on column past_terms.ended_at is 'From then on others held';
create index past_terms__ended_at on past_terms (ended_at);
alter table past_terms enable row level security;
alter table past_terms force row level security;
create policy past_terms__tenant on past_terms using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy past_terms__platform on past_terms for select to lango_platform using (true);
grant select, insert, delete on past_terms to lango_app;
grant select on past_terms to lango_platform;

create table bundle_announcements (
  bundle_code text not null,
  change integer not null default 1,
  announced_until uuid not null default '00000000-0000-0000-0000-000000000000',
  constraint bundle_announcements__pkey primary key (bundle_code),
  constraint bundle_announcements__bundle_fkey foreign key (bundle_code) references bundles (code)
);
comment on table bundle_announcements is 'Bundles that were changed, until the change is published for every tenant on them';
comment on column bundle_announcements.change is 'Grows when the bundle changes again meanwhile; publishing then begins again';
comment on column bundle_announcements.announced_until is 'Tenants follow in the order of their ids; this one was the last';
grant select, insert, update, delete on bundle_announcements to lango_app;

create table tenant_suspensions (
  tenant_id uuid not null,
  is_suspended boolean not null,
  version integer not null,
  constraint tenant_suspensions__pkey primary key (tenant_id)
);
comment on table tenant_suspensions is 'Whether a tenant is suspended, as last published by the sign-on service: meanwhile there are no payment requests and no warnings';
comment on column tenant_suspensions.version is 'Of the tenant at the sign-on service; a lower one is ignored';
alter table tenant_suspensions enable row level security;
alter table tenant_suspensions force row level security;
create policy tenant_suspensions__tenant on tenant_suspensions using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy tenant_suspensions__platform on tenant_suspensions for select to lango_platform using (true);
grant select, insert, update, delete on tenant_suspensions to lango_app;
grant select on tenant_suspensions to lango_platform;
-- Refunds and lost disputes of payments: what was returned of each, in all.

create table returned_payments (
  tenant_id uuid not null,
  operation_id uuid not null,
  returned_minor bigint not null constraint returned_payments__amount_check check (returned_minor > 0),
  returned_at timestamptz not null,
  waiting_minor bigint not null default 0
    constraint returned_payments__waiting_check check (waiting_minor between 0 and returned_minor),
  constraint returned_payments__pkey primary key (tenant_id, operation_id),
  constraint returned_payments__subscription_fkey foreign key (tenant_id) references subscriptions (tenant_id) on delete cascade
);
comment on table returned_payments is 'What the treasury says was returned of the payment of an operation or a bill, by refunds and disputes that were lost.';
comment on column returned_payments.waiting_minor is 'What of it waits for the payment: its event may come later than that of its return.';

alter table returned_payments enable row level security;
alter table returned_payments force row level security;
create policy returned_payments__tenant on returned_payments
  using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy returned_payments__platform on returned_payments for select to lango_platform using (true);
grant select, insert, update on returned_payments to lango_app;
grant select on returned_payments to lango_platform;
