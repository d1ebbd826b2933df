-- breaking: no
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
  constraint overage_bills__pkey primary key (id),
  constraint overage_bills__subscription_fkey foreign key (tenant_id) references subscriptions (tenant_id) on delete cascade,
  constraint overage_bills__one_a_period unique (tenant_id, period_ends_at, currency),
  constraint overage_bills__status_known check (status in ('requested', 'paid', 'unpaid')),
  constraint overage_bills__adds_up check (amount_minor = charge_minor - balance_minor and balance_minor >= 0 and amount_minor >= 0),
  constraint overage_bills__countable check (charge_minor between 1 and 9007199254740991),
  constraint overage_bills__settled check ((status = 'paid') = (settled_at is not null)),
  constraint overage_bills__asked check ((status = 'requested') = (next_step_at is not null))
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
  add constraint received_payments__bill_fkey foreign key (bill_id) references overage_bills (id) on delete cascade,
  add constraint received_payments__for_one check (num_nonnulls(operation_id, bill_id) = 1);
create index received_payments__bill_index on received_payments (bill_id) where bill_id is not null;

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

create function add_ons_as_held(p_versions uuid[]) returns jsonb
language sql stable set search_path = public, pg_temp
begin atomic
  select case when p_versions is not null then coalesce(jsonb_agg(
           jsonb_build_object('id', v.id, 'code', v.add_on_code, 'version', v.version, 'products', v.products, 'features', v.features,
             'limits', v.limits, 'priceMinor', v.price_minor::text, 'currency', v.currency, 'interval', v.billing_interval)
           order by v.add_on_code, v.version), '[]') end
    from add_on_versions v
   where v.id = any (p_versions);
end;
comment on function add_ons_as_held is 'Versions of add-ons with all that follows from having them; null for null';
