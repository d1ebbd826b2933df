-- breaking: no
-- The list of one outlet's orders: without it an outlet with few orders reads all orders of the tenant.
create index concurrently orders__outlet on orders (tenant_id, outlet_id, placed_at desc, id desc);
