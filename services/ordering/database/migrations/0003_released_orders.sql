-- breaking: no

-- Cancelled orders no longer count against max_orders_per_day. The number of an order never goes back.
alter table order_days add column cancelled integer not null default 0;
alter table order_days add constraint order_days__cancelled_check check (cancelled between 0 and orders);
comment on table order_days is 'How many orders a tenant took on a day. max_orders_per_day bounds orders - cancelled.';
comment on column order_days.orders is 'The number of the last order of the day. It never decreases, so that no two orders of a day have one number.';
comment on column order_days.cancelled is 'How many of them were cancelled.';

alter table orders add column cancellation_reported_at timestamptz;
comment on column orders.cancellation_reported_at is 'When the subscription service received the report that takes back a cancelled order; null: not cancelled, or still to be reported.';

-- The subscription service takes no report older than seven days, and days that are over are not counted again.
alter table orders no force row level security;
alter table order_days no force row level security;
update orders set cancellation_reported_at = changed_at
 where status = 'cancelled' and placed_at < now() - interval '2 days';
update order_days d
   set cancelled = (select count(*) from orders o
                     where o.tenant_id = d.tenant_id and o.ordered_on = d.ordered_on and o.status = 'cancelled')
 where ordered_on >= current_date - 2;
alter table orders force row level security;
alter table order_days force row level security;

create or replace function prepare_merge(p_from uuid, p_to uuid)
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
