-- The bytes of a row in a domain service, with indexes: psql -f deploy/sizes/domain-service.sql, as an administrator, on
-- a migrated database of any of them. 10,000 rows of each kind are inserted and rolled back.
\set ON_ERROR_STOP on
\pset footer off
begin;
create temp table before on commit drop as
  select relid, pg_total_relation_size(relid) as bytes from pg_stat_user_tables;
create temp table made (n int, tenant_id uuid default gen_random_uuid(), user_id uuid default gen_random_uuid()) on commit drop;
insert into made (n) select generate_series(1, 10000);
insert into tenants (id, slug, name, status, time_zone, currency, locale, synced_at, version)
  select tenant_id, 'sized-' || n, 'A tenant of usual length ' || n, 'active', 'Africa/Nairobi', 'KES', 'en-KE', now(), 1 from made;
insert into users (tenant_id, auth_service_user_id, email, name, status, global_roles, first_role, claims_issued_at, sync_status, created_at, updated_at)
  select tenant_id, user_id, 'somebody.' || n || '@customers.example', 'Somebody Oduya ' || n, 'active', array['staff'], 'operator', now(), 'synced', now(), now() from made;
insert into audit_log (tenant_id, occurred_at, actor_kind, actor_id, action, subject, detail, request_id, address)
  select tenant_id, now(), 'user', user_id::text, 'config.changed', 'theme', '{"before": "light", "after": "dark"}', gen_random_uuid()::text, '203.0.113.7' from made;
insert into inbox (event_id, consumer, applied_at, seen_at) select gen_random_uuid(), 'tenancy', now(), now() from made;
select relname as "table", round((pg_total_relation_size(s.relid) - b.bytes) / 10000.0) as "bytes a row"
  from pg_stat_user_tables s join before b using (relid)
 where pg_total_relation_size(s.relid) - b.bytes > 100000 order by 1;
rollback;
