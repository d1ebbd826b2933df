-- The bytes of a row in the notification service, with indexes: psql -f deploy/sizes/notifications.sql, as an administrator, on
-- its migrated database. 10,000 rows of each kind are inserted and rolled back: an e-mail to one person, sent and delivered,
-- with the key of its text that only an SMS has.
\set ON_ERROR_STOP on
\pset footer off
begin;
create temp table before on commit drop as
  select relid, pg_total_relation_size(relid) as bytes from pg_stat_user_tables;
create temp table made (n int, tenant_id uuid, user_id uuid default gen_random_uuid(), message_id uuid default gen_random_uuid(), delivery_id uuid default gen_random_uuid())
  on commit drop;
insert into made (n, tenant_id) select generate_series(1, 10000), '00000000-0000-4000-8000-000000000001';
insert into tenants (id, slug, name, status, time_zone, currency, locale, synced_at, version)
  values ('00000000-0000-4000-8000-000000000001', 'sized', 'A tenant of usual length', 'active', 'Africa/Nairobi', 'KES', 'en-KE', now(), 1);
insert into recipients (tenant_id, id, name, email_key_id, email, email_address_key, email_masked, email_verified, roles, status, locale, created_at, updated_at)
  select tenant_id, user_id, 'Somebody Oduya ' || n, 'key-1', sha256(n::text::bytea) || sha256('b'), sha256(n::text::bytea), 's•••@customers.example', true, array['staff'], 'active', 'en', now(), now() from made;
insert into messages (tenant_id, id, source, channel, class, category, template, data_key_id, data, has_secret, labels, locale, send_at, expires_at, caller_kind, caller_id,
    is_exempt, wants_delivery_events, recipients, pending, created_at, template_version_id)
  select tenant_id, message_id, 'test', 'email', 'normal', 'transactional', 'shared/generic_notification', 'key-1',
    (select string_agg(sha256((n * 100 + part)::text::bytea), '') from generate_series(1, 12) as part), false, '{"order": "2026-00017"}', 'en', now(), now() + interval '1 day',
    'key', gen_random_uuid()::text, false, false, 1, 0, now(), null from made;
insert into message_deliveries (tenant_id, id, message_id, position, channel, class, address_key_id, address, address_key, address_masked, user_id, locale, status, rank, attempt,
    due_at, expires_at, provider_id, ref, text_key, created_at, sent_at, final_at)
  select tenant_id, delivery_id, message_id, 0, 'email', 'normal', 'key-1', sha256(n::text::bytea) || sha256('b'), sha256(n::text::bytea), 's•••@customers.example', user_id, 'en',
    'delivered', 3, 1, now(), now() + interval '1 day', gen_random_uuid(), gen_random_uuid()::text, sha256(n::text::bytea), now(), now(), now() from made;
insert into delivery_events (tenant_id, delivery_id, at, kind, detail)
  select tenant_id, delivery_id, now(), 'attempt', '{"provider": "Postmark", "outcome": "accepted", "took_ms": 132, "attempt": 1}' from made;
insert into inbox_items (tenant_id, id, user_id, title, body, link, category, template, created_at)
  select tenant_id, delivery_id, user_id, 'Order 2026-00017 is ready', 'It can be collected at the counter of Headquarters until 18:00.', '/orders/2026-00017', 'transactional',
    'shared/generic_notification', now() from made;
select relname as "table", round((pg_total_relation_size(s.relid) - b.bytes) / 10000.0) as "bytes a row"
  from pg_stat_user_tables s join before b using (relid)
 where pg_total_relation_size(s.relid) - b.bytes > 100000 order by 1;
rollback;
