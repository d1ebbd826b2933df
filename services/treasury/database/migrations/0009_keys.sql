-- breaking: no

-- Rows of all tenants, and of the platform, whose value is not under the newest key-encryption key.

grant select (tenant_id, id, dek_key_id) on gateway_credentials to lango_lookup;
grant select (tenant_id, id, pay_code_key_id) on intents to lango_lookup;
grant select (tenant_id, id, account_key_id) on recipients to lango_lookup;
create policy gateway_credentials__lookup on gateway_credentials for select to lango_lookup using (true);
create policy intents__lookup on intents for select to lango_lookup using (true);
create policy recipients__lookup on recipients for select to lango_lookup using (true);

create function list_older_seals(p_newest text, p_limit integer)
returns table (place text, tenant_id uuid, id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  (select 'gateway_credentials', c.tenant_id, c.id from gateway_credentials c
    where c.dek_key_id < p_newest or c.dek_key_id > p_newest limit p_limit)
  union all
  (select 'intents', i.tenant_id, i.id from intents i
    where i.pay_code_key_id < p_newest or i.pay_code_key_id > p_newest limit p_limit)
  union all
  (select 'recipients', r.tenant_id, r.id from recipients r
    where r.account_key_id < p_newest or r.account_key_id > p_newest limit p_limit)
  limit p_limit
$$;
alter function list_older_seals(text, integer) owner to lango_lookup;
revoke execute on function list_older_seals(text, integer) from public;
grant execute on function list_older_seals(text, integer) to lango_app;
