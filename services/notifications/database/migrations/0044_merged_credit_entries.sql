-- breaking: no

-- Two ids of a tenant with a grant under the same Idempotency-Key keep both grants when they are merged: without one, the credit
-- would differ from the sum of its entries.

create or replace function prepare_merge(p_from uuid, p_to uuid)
returns void
language sql
set search_path = public, pg_temp
as $$
  select prepare_merge_of_digests(p_from, p_to);
  select prepare_merge_of_people(p_from, p_to);
  select prepare_merge_of_triggers(p_from, p_to);
  update redrives f set request_key = null from redrives d
   where d.tenant_id = p_to and f.tenant_id = p_from
     and (d.caller_kind, d.caller_id, d.request_key) = (f.caller_kind, f.caller_id, f.request_key);
  update credit_entries f set request_key = null from credit_entries d
   where d.tenant_id = p_to and f.tenant_id = p_from and (d.made_by, d.request_key) = (f.made_by, f.request_key);
  delete from idempotency_keys f using idempotency_keys d
   where d.tenant_id = p_to and f.tenant_id = p_from and (d.caller, d.key_hash) = (f.caller, f.key_hash);
  select prepare_merge_of_reputation(p_from, p_to);
  update send_days d set used = d.used + f.used, reported = d.reported + f.reported from send_days f
   where d.tenant_id = p_to and f.tenant_id = p_from and f.day = d.day;
  delete from send_days f using send_days d where d.tenant_id = p_to and f.tenant_id = p_from and f.day = d.day;
  delete from channel_buckets f using channel_buckets d
   where d.tenant_id = p_to and f.tenant_id = p_from and f.channel = d.channel;
  update lanes d set next_due_at = least(coalesce(d.next_due_at, f.next_due_at), coalesce(f.next_due_at, d.next_due_at)) from lanes f
   where d.tenant_id = p_to and f.tenant_id = p_from and f.channel = d.channel and f.class = d.class;
  delete from lanes f using lanes d
   where d.tenant_id = p_to and f.tenant_id = p_from and f.channel = d.channel and f.class = d.class;
  update credit_balances d
     set balance = d.balance + f.balance, reserved = d.reserved + f.reserved, is_low = d.balance + f.balance < d.threshold
    from credit_balances f
   where d.tenant_id = p_to and f.tenant_id = p_from;
  update credit_top_ups f set status = 'expired', ended_at = f.requested_at from credit_top_ups d
   where d.tenant_id = p_to and f.tenant_id = p_from and d.status = 'open' and f.status = 'open';
  delete from credit_balances f using credit_balances d where d.tenant_id = p_to and f.tenant_id = p_from;
$$;
