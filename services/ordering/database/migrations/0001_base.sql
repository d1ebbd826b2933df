-- breaking: no
-- What is on the menu, who orders, and what was ordered.

-- The order of names as people expect it: "Table 2" before "Table 10".
create collation natural_order (provider = icu, locale = 'und-u-kn-true');

create table catalog_items (
  id uuid not null default gen_random_uuid(),
  tenant_id uuid not null constraint catalog_items__tenant_fkey references tenants (id) on update cascade,
  category text collate natural_order not null constraint catalog_items__category_check check (length(category) between 1 and 60),
  name text collate natural_order not null constraint catalog_items__name_check check (length(name) between 1 and 120),
  description text not null constraint catalog_items__description_check check (length(description) <= 1000),
  price_minor bigint not null constraint catalog_items__price_check check (price_minor between 0 and 1000000000000),
  currency text not null,
  is_available boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint catalog_items__name_unique unique (tenant_id, category, name),
  constraint catalog_items__pkey primary key (tenant_id, id)
);
comment on table catalog_items is 'What a tenant sells. An item is taken off the menu, never deleted: orders refer to it.';
comment on column catalog_items.price_minor is 'In the lowest units of the currency.';
comment on column catalog_items.currency is 'The tenant''s when the price was set; while the tenant has another the item is not sold.';

create table customers (
  id uuid not null default gen_random_uuid(),
  tenant_id uuid not null constraint customers__tenant_fkey references tenants (id) on update cascade,
  auth_service_user_id uuid not null,
  name text not null,
  email text not null,
  created_at timestamptz not null,
  signed_in_at timestamptz,
  erased_at timestamptz,
  constraint customers__person_unique unique (tenant_id, auth_service_user_id),
  constraint customers__pkey primary key (tenant_id, id)
);
create index customers__person on customers (auth_service_user_id);
comment on table customers is 'Profiles of people who may order, made by an event of the sign-on service (spec §6).';
comment on column customers.signed_in_at is 'When the person last signed in to the tenant.';
comment on column customers.erased_at is 'Since when nothing personal is kept; no event or order fills the profile again.';

create table order_days (
  tenant_id uuid not null constraint order_days__tenant_fkey references tenants (id) on update cascade,
  ordered_on date not null,
  orders integer not null constraint order_days__orders_check check (orders > 0),
  cancelled integer not null default 0 constraint order_days__cancelled_check check (cancelled between 0 and orders),
  constraint order_days__pkey primary key (tenant_id, ordered_on)
);
comment on table order_days is 'How many orders a tenant took on a day. max_orders_per_day bounds orders - cancelled.';
comment on column order_days.orders is 'The number of the last order of the day. It never decreases, so that no two orders of a day have one number.';
comment on column order_days.cancelled is 'How many of them were cancelled.';
comment on column order_days.ordered_on is 'The date in the tenant''s time zone when the order was placed.';

create table orders (
  id uuid not null default gen_random_uuid(),
  tenant_id uuid not null constraint orders__tenant_fkey references tenants (id) on update cascade,
  ordered_on date not null,
  number integer not null,
  outlet_id uuid,
  customer_id uuid,
  placed_by_kind text not null constraint orders__placed_by_check check (placed_by_kind in ('user', 'client', 'key')),
  placed_by text not null,
  status text not null
    constraint orders__status_check check (status in ('placed', 'accepted', 'ready', 'completed', 'cancelled')),
  currency text not null,
  total_minor bigint not null constraint orders__total_check check (total_minor >= 0),
  idempotency_key text,
  fingerprint bytea not null,
  placed_at timestamptz not null,
  changed_at timestamptz not null,
  usage_reported_at timestamptz,
  cancellation_reported_at timestamptz,
  constraint orders__outlet_fkey foreign key (tenant_id, outlet_id) references outlets (tenant_id, id) on update cascade deferrable,
  constraint orders__customer_fkey foreign key (tenant_id, customer_id) references customers (tenant_id, id) on update cascade deferrable,
  constraint orders__number_unique unique (tenant_id, ordered_on, number),
  constraint orders__key_unique unique (tenant_id, placed_by_kind, placed_by, idempotency_key),
  constraint orders__pkey primary key (tenant_id, id)
);
create index orders__newest on orders (tenant_id, placed_at desc, id desc);
create index orders__outlet on orders (tenant_id, outlet_id, placed_at desc, id desc);
create index orders__own on orders (tenant_id, placed_by, placed_at desc, id desc);
create index orders__unreported on orders (tenant_id, placed_at) where usage_reported_at is null;
create index orders__unreported_cancellations on orders (tenant_id, placed_at)
  where status = 'cancelled' and cancellation_reported_at is null;
comment on table orders is 'What was ordered, and how far it is.';
comment on column orders.number is 'Called out at the counter: counts from 1 each day.';
comment on column orders.outlet_id is 'From X-Outlet-ID, else the only outlet of the caller; null: of no outlet.';
comment on column orders.customer_id is 'Null when a program placed it, or the platform''s owner as a visitor.';
comment on column orders.placed_by is 'The id of the person at the sign-on service, of the client or of the key.';
comment on column orders.idempotency_key is 'Under it the same caller''s order is placed once, however often it is sent.';
comment on column orders.fingerprint is 'SHA-256 of what was asked for, so that a key used for something else is noticed.';
comment on column orders.usage_reported_at is 'When the subscription service took the report of it; null: not reported yet.';
comment on column orders.cancellation_reported_at is 'When the subscription service received the report that takes back a cancelled order; null: not cancelled, or still to be reported.';

create table order_lines (
  tenant_id uuid not null,
  order_id uuid not null,
  position integer not null,
  item_id uuid not null,
  name text not null,
  unit_price_minor bigint not null,
  quantity integer not null constraint order_lines__quantity_check check (quantity between 1 and 100),
  constraint order_lines__pkey primary key (tenant_id, order_id, position),
  constraint order_lines__order_fkey foreign key (tenant_id, order_id) references orders (tenant_id, id) on update cascade deferrable,
  constraint order_lines__item_fkey foreign key (tenant_id, item_id) references catalog_items (tenant_id, id) on update cascade deferrable
);
create index order_lines__item on order_lines (tenant_id, item_id);
comment on table order_lines is 'What an order is of, with name and price as they were when it was placed.';

alter table catalog_items enable row level security;
alter table catalog_items force row level security;
create policy catalog_items__tenant on catalog_items
  using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy catalog_items__platform on catalog_items for select to lango_platform using (true);

alter table customers enable row level security;
alter table customers force row level security;
create policy customers__tenant on customers
  using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy customers__platform on customers for select to lango_platform using (true);
create policy customers__lookup on customers to lango_lookup using (true);

alter table order_days enable row level security;
alter table order_days force row level security;
create policy order_days__tenant on order_days
  using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy order_days__platform on order_days for select to lango_platform using (true);

alter table orders enable row level security;
alter table orders force row level security;
create policy orders__tenant on orders using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy orders__platform on orders for select to lango_platform using (true);
create policy orders__outlets on orders as restrictive to lango_app using (
  outlet_id is null or current_setting('app.outlet_ids', true) = '*'
  or outlet_id::text = any(string_to_array(current_setting('app.outlet_ids', true), ',')));

alter table order_lines enable row level security;
alter table order_lines force row level security;
create policy order_lines__tenant on order_lines
  using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy order_lines__platform on order_lines for select to lango_platform using (true);

grant select, insert, update on catalog_items, customers, order_days, orders to lango_app;
grant select, insert on order_lines to lango_app;
grant select on catalog_items, customers, order_days, orders, order_lines to lango_platform;
grant select, update on customers to lango_lookup;

-- Removes what is personal of a person from the profiles in every tenant; they stay, empty, for the orders that refer to
-- them. Runs as the look-up role: the event names no tenant.
create function erase_customer(p_subject uuid, p_now timestamptz)
returns void
language sql security definer
set search_path = public, pg_temp
as $$
  update customers set name = '', email = '', signed_in_at = null, erased_at = p_now
   where auth_service_user_id = p_subject and erased_at is null
$$;
alter function erase_customer(uuid, timestamptz) owner to lango_lookup;
revoke execute on function erase_customer(uuid, timestamptz) from public;
grant execute on function erase_customer(uuid, timestamptz) to lango_app;

-- Before two ids of the tenant are merged (decision 0045): orders of a day go on counting after those of the other id, of two under
-- one key the later one keeps it, and who was erased under one id is erased under both.
create function prepare_merge(p_from uuid, p_to uuid)
returns void
language sql
set search_path = public, pg_temp
as $$
  -- By way of negative numbers: no two orders of a day may have one number, at no moment.
  update orders o set number = -(o.number + d.orders)
    from order_days d where o.tenant_id = p_from and d.tenant_id = p_to and d.ordered_on = o.ordered_on;
  update orders set number = -number where tenant_id = p_from and number < 0;
  update order_days d set orders = d.orders + f.orders, cancelled = d.cancelled + f.cancelled
    from order_days f where d.tenant_id = p_to and f.tenant_id = p_from and f.ordered_on = d.ordered_on;
  delete from order_days f using order_days d
   where f.tenant_id = p_from and d.tenant_id = p_to and f.ordered_on = d.ordered_on;

  update orders o set idempotency_key = null from orders later
   where o.tenant_id in (p_from, p_to) and later.tenant_id in (p_from, p_to) and later.tenant_id <> o.tenant_id
     and (later.placed_by_kind, later.placed_by, later.idempotency_key) = (o.placed_by_kind, o.placed_by, o.idempotency_key)
     and (later.placed_at, later.id) > (o.placed_at, o.id);

  update customers c
     set name = case when twin.erased_at is null then c.name else '' end,
         email = case when twin.erased_at is null then c.email else '' end,
         signed_in_at = case when twin.erased_at is null then greatest(c.signed_in_at, twin.signed_in_at) end,
         erased_at = coalesce(c.erased_at, twin.erased_at), created_at = least(c.created_at, twin.created_at)
    from customers twin
   where c.tenant_id in (p_from, p_to) and twin.tenant_id in (p_from, p_to) and twin.tenant_id <> c.tenant_id
     and twin.auth_service_user_id = c.auth_service_user_id and c.erased_at is null
$$;
revoke execute on function prepare_merge(uuid, uuid) from public;
