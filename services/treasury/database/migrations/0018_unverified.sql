-- breaking: no

-- Receipts that were not confirmed, and the questions about them, are removed.

-- Removes receipts that were said to exist before a time and not verified, with what was said of them, of all tenants: those about which
-- the gateway gave an answer, or cannot be asked, and older ones without an answer. Returns how many.
create function remove_unverified_receipts(p_before timestamptz, p_unanswered_before timestamptz, p_limit integer)
returns integer
language sql security definer
set search_path = public, pg_temp
as $$
  with old as (
    select r.tenant_id, r.id from receipts r
     where r.state = 'unverified' and r.created_at < p_before
       and (r.created_at < p_unanswered_before or r.receipt !~ '^[A-Z0-9]{6,20}$' or exists (
         select from gateway_queries q
          where (q.tenant_id, q.receipt, q.shortcode) = (r.tenant_id, r.receipt, r.shortcode) and q.status = 'answered'))
     limit p_limit
  ), said as (
    delete from evidence e using old o where (e.tenant_id, e.object_id) = (o.tenant_id, o.id)
  ), removed as (
    delete from receipts r using old o where (r.tenant_id, r.id) = (o.tenant_id, o.id) returning 1
  )
  select count(*)::integer from removed
$$;
alter function remove_unverified_receipts(timestamptz, timestamptz, integer) owner to lango_lookup;
revoke execute on function remove_unverified_receipts(timestamptz, timestamptz, integer) from public;
grant execute on function remove_unverified_receipts(timestamptz, timestamptz, integer) to lango_app;
grant select, delete on evidence to lango_lookup;
create policy evidence__lookup on evidence to lango_lookup using (true);

-- Removes questions before a time that no person asked, with their tokens, of all tenants. Returns how many.
create function remove_hint_questions(p_before timestamptz, p_limit integer)
returns integer
language sql security definer
set search_path = public, pg_temp
as $$
  with old as (
    select q.tenant_id, q.id from gateway_queries q where q.created_by_kind = 'service' and q.created_at < p_before limit p_limit
  ), tokens as (
    delete from callback_tokens t using old o where (t.tenant_id, t.object_id) = (o.tenant_id, o.id) returning t.tenant_id, t.id
  ), located as (
    delete from locators l using tokens t where (l.tenant_id, l.object_id) = (t.tenant_id, t.id) and l.kind = 'callback_token'
  ), removed as (
    delete from gateway_queries q using old o where (q.tenant_id, q.id) = (o.tenant_id, o.id) returning 1
  )
  select count(*)::integer from removed
$$;
alter function remove_hint_questions(timestamptz, integer) owner to lango_lookup;
revoke execute on function remove_hint_questions(timestamptz, integer) from public;
grant execute on function remove_hint_questions(timestamptz, integer) to lango_app;
grant select, delete on gateway_queries, callback_tokens to lango_lookup;
grant delete on locators to lango_lookup;
create policy gateway_queries__lookup on gateway_queries to lango_lookup using (true);
create policy callback_tokens__lookup on callback_tokens to lango_lookup using (true);
create policy locators__remove on locators for delete to lango_lookup using (true);
