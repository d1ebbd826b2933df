-- breaking: no
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
