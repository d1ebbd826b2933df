-- breaking: yes, because a process of an earlier release sets no outlet scope and would see only loaves of no outlet
create policy loaves__outlets on loaves as restrictive to lango_app using (
  outlet_id is null or current_setting('app.outlet_ids', true) = '*'
  or outlet_id::text = any(string_to_array(current_setting('app.outlet_ids', true), ',')));
