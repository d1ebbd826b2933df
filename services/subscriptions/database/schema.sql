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
