-- breaking: no

-- Before two ids of the tenant are merged (decision 0051): orders of a day go on counting after those of the other id, of two under
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
  update order_days d set orders = d.orders + f.orders
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
