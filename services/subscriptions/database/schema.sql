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
comment on column bundles.products is 'Product ids; * stands for all there are, and is expanded when read';

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
comment on column plans.retired_at is 'From then on nobody can select it; who has it keeps it';

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
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  constraint api_keys__pkey primary key (id),
  constraint api_keys__hash_length check (octet_length(secret_hash) = 32),
  constraint api_keys__source_known check (source in ('setting'))
);
comment on table api_keys is 'Keys that are good for all tenants, by which the other services ask';
comment on column api_keys.secret_hash is 'SHA-256 of the secret; the secret itself is kept nowhere';
comment on column api_keys.source is 'setting: it came from SUBSCRIPTIONS_API_KEY';
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
comment on table plan_version_retirements is 'Versions that are no longer on offer; who has one keeps it. A plan is on offer in the newest version that is left';

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
  add column told_state text,
  add column trial_ending_told boolean not null default false,
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
comment on column subscriptions.told_state is 'The status and access the others were last told of';
comment on column subscriptions.next_due_at is 'When something is to be done about it at the latest; null: never';

create index subscriptions__due on subscriptions (next_due_at) where next_due_at is not null;

create function plan_as_held(p_version uuid) returns jsonb
language sql stable set search_path = public, pg_temp
begin atomic
  select jsonb_build_object('id', v.id, 'code', v.plan_code, 'version', v.version, 'products', b.products, 'features', v.features,
           'limits', v.limits, 'priceMinor', v.price_minor::text, 'currency', v.currency, 'interval', v.billing_interval,
           'trialDays', v.trial_days, 'graceDays', v.grace_days)
    from plan_versions v join bundles b on b.code = v.bundle_code
   where v.id = p_version;
end;
comment on function plan_as_held is 'A version of a plan with all that follows from having it; null when there is none';

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
  constraint paid_lines__pkey primary key (id),
  constraint paid_lines__subscription_fkey foreign key (tenant_id) references subscriptions (tenant_id) on delete cascade,
  constraint paid_lines__plan_version_fkey foreign key (plan_version_id) references plan_versions (id),
  constraint paid_lines__operation_unique unique (operation_id),
  constraint paid_lines__order check (starts_at <= ends_at),
  constraint paid_lines__credit_within_charge check (charged_minor >= 0 and credited_minor between 0 and charged_minor)
);
comment on table paid_lines is 'What was charged for a plan over a time, and how much of that was given back as credit: never more than was charged';
create index paid_lines__tenant_index on paid_lines (tenant_id, ends_at);
create index paid_lines__plan_version_index on paid_lines (plan_version_id);

alter table subscriptions add column line_id uuid;
alter table subscriptions add constraint subscriptions__line_fkey foreign key (line_id) references paid_lines (id) deferrable initially deferred;
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
  constraint billing_operations__pkey primary key (id),
  constraint billing_operations__subscription_fkey foreign key (tenant_id) references subscriptions (tenant_id) on delete cascade,
  constraint billing_operations__plan_version_fkey foreign key (plan_version_id) references plan_versions (id),
  constraint billing_operations__from_plan_version_fkey foreign key (from_plan_version_id) references plan_versions (id),
  constraint billing_operations__kind_known check (kind in ('checkout', 'change', 'renewal')),
  constraint billing_operations__status_known check (status in ('requested', 'succeeded', 'credited', 'closed')),
  constraint billing_operations__not_negative check (
    charge_minor >= 0 and credit_minor >= 0 and amount_minor >= 0 and attempt >= 0
  ),
  constraint billing_operations__adds_up check (amount_minor = charge_minor - credit_minor - balance_minor),
  constraint billing_operations__settled check ((status = 'requested') = (settled_at is null))
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
  constraint received_payments__pkey primary key (id),
  constraint received_payments__operation_fkey foreign key (operation_id) references billing_operations (id) on delete cascade
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
  constraint quotes__pkey primary key (id),
  constraint quotes__subscription_fkey foreign key (tenant_id) references subscriptions (tenant_id) on delete cascade,
  constraint quotes__plan_version_fkey foreign key (plan_version_id) references plan_versions (id),
  constraint quotes__order check (quoted_at < expires_at)
);
comment on table quotes is
  'From what a price was told: reckoned again from the same version at the same moment, it is the same. Removed some time after it expired';
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

-- Who changed what, by hand.

create table audit_log (
  id bigint not null generated always as identity,
  tenant_id uuid,
  occurred_at timestamptz not null,
  actor_kind text not null,
  actor_id text not null,
  action text not null,
  subject text not null,
  detail jsonb not null,
  request_id text,
  address text,
  constraint audit_log__pkey primary key (id),
  constraint audit_log__actor_known check (actor_kind in ('user', 'client', 'key', 'system'))
);
comment on table audit_log is 'Every change somebody made of the catalogue or of a subscription; rows are only added';
comment on column audit_log.tenant_id is 'Null: about the catalogue, which is the same for all';
comment on column audit_log.detail is 'What was before and after';
create index audit_log__tenant on audit_log (tenant_id, id desc);

alter table audit_log enable row level security;
alter table audit_log force row level security;
create policy audit_log__tenant on audit_log using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy audit_log__of_platform on audit_log for insert to lango_app
  with check (tenant_id is null and nullif(current_setting('app.tenant_id', true), '') is null);
create policy audit_log__platform on audit_log for select to lango_platform using (true);
grant select, insert on audit_log to lango_app;
grant select on audit_log to lango_platform;

-- The time zones of tenants; and, outside production, their clocks and how their payments turn out.

create table tenant_calendars (
  tenant_id uuid not null,
  time_zone text not null,
  version integer not null,
  constraint tenant_calendars__pkey primary key (tenant_id)
);
comment on table tenant_calendars is 'The time zone of a tenant, as the sign-on service last told of it';
comment on column tenant_calendars.version is 'Of the tenant at the sign-on service; a lower one is ignored';

create table test_clocks (
  tenant_id uuid not null,
  now_at timestamptz not null,
  constraint test_clocks__pkey primary key (tenant_id)
);
comment on table test_clocks is 'Outside production: the time it is for a tenant, which stands still until it is moved. Empty in production, and not read there';

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
