-- breaking: no

-- Allocating receipts: what of them was paid to the platform, and whether their fee is passed on.

alter table receipts
  add column is_fee_passed_on boolean not null default false,
  add column platform_minor bigint not null default 0;
update receipts r
   set platform_minor = case when i.payee = 'platform' then r.allocated_minor else 0 end,
       is_fee_passed_on = i.payee = 'tenant' and r.gateway = 'card_gateway'
  from intents i
 where i.tenant_id = r.tenant_id and i.account_code = r.account_ref and r.state = 'verified' and r.currency = i.currency;
alter table receipts
  add constraint receipts__platform_check check (platform_minor between 0 and allocated_minor);
comment on column receipts.is_fee_passed_on is 'The tenant owes the fee to the platform. Of money whose tenant or intent is not known yet it does not.';
comment on column receipts.platform_minor is 'What of it the tenant paid to the platform: a bill is paid from the sum of these.';

-- Moves a receipt whose tenant was not known to the tenant of this transaction, to which it turns out to belong. Nothing of it is used
-- yet. What is only said of its number there is removed. Returns whether it was moved.
create function take_receipt(p_id uuid, p_from uuid)
returns boolean
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  v_to constant uuid := nullif(current_setting('app.tenant_id', true), '')::uuid;
  v_receipt record;
begin
  select r.gateway, r.kind, r.receipt into v_receipt from receipts r
   where r.tenant_id = p_from and r.id = p_id and r.state = 'verified' and r.attempt_id is null and r.custody = 'platform'
     and r.allocated_minor = 0 and r.refunded_minor = 0 for update;
  if not found then
    return false;
  end if;
  delete from receipts r
   where r.tenant_id = v_to and r.state = 'unverified' and (r.gateway, r.kind, r.receipt) = (v_receipt.gateway, v_receipt.kind, v_receipt.receipt);
  update receipts r set tenant_id = v_to where r.tenant_id = p_from and r.id = p_id;
  update locators l set tenant_id = v_to where l.tenant_id = p_from and l.object_id = p_id and l.kind = 'receipt';
  return true;
end
$$;
alter function take_receipt(uuid, uuid) owner to lango_lookup;
revoke execute on function take_receipt(uuid, uuid) from public;
grant execute on function take_receipt(uuid, uuid) to lango_app;
grant select, update, delete on receipts to lango_lookup;
grant update on locators to lango_lookup;
create policy receipts__lookup on receipts to lango_lookup using (true);
create policy locators__take on locators for update to lango_lookup using (true);
