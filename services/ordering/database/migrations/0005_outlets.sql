-- breaking: yes, because a process of an earlier release sets no outlet scope and would see only orders of no outlet
create policy orders__outlets on orders as restrictive to lango_app using (
  outlet_id is null or current_setting('app.outlet_ids', true) = '*'
  or outlet_id::text = any(string_to_array(current_setting('app.outlet_ids', true), ',')));
comment on column orders.outlet_id is 'From X-Outlet-ID, else the only outlet of whoever placed it; null: of no outlet.';
