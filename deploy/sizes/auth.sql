-- The bytes of a row, with indexes: psql -f deploy/sizes/auth.sql, as an administrator, on a migrated database of the
-- sign-on service. 10,000 rows of each kind are inserted and rolled back.
\set ON_ERROR_STOP on
\pset footer off
begin;
create temp table before on commit drop as
  select relid, pg_total_relation_size(relid) as bytes from pg_stat_user_tables;
create temp table made (n int, tenant_id uuid default gen_random_uuid(), user_id uuid default gen_random_uuid(), sid uuid default gen_random_uuid(), browser uuid default gen_random_uuid()) on commit drop;
insert into made (n) select generate_series(1, 10000);
insert into tenants (id, slug, name) select tenant_id, 'sized-' || n, 'A tenant of usual length ' || n from made;
insert into tenant_slugs (slug, tenant_id) select 'sized-' || n, tenant_id from made;
insert into users (id, email, email_folded, name, primary_tenant_id)
  select user_id, 'somebody.' || n || '@customers.example', 'somebody.' || n || '@customers.example', 'Somebody Oduya ' || n, tenant_id from made;
insert into credentials (user_id, kind, secret)
  select user_id, 'password', '$argon2id$v=19$m=19456,t=2,p=1$' || repeat('s', 22) || '$' || repeat('h', 43) from made;
insert into memberships (tenant_id, user_id, roles) select tenant_id, user_id, array['staff'] from made;
insert into browser_sessions (id, token_hash, user_id, auth_time, amr, last_used_at, expires_at)
  select browser, sha256(browser::text::bytea), user_id, now(), array['pwd'], now(), now() + interval '14 days' from made;
insert into clients (client_id, name, scopes, public, pkce_required, id_token_algorithm, redirect_uris, post_logout_redirect_uris)
  values ('sized', 'Sized', array['openid'], true, true, 'ES256', array['https://sized.example/cb'], array['https://sized.example/']);
insert into sessions (id, tenant_id, user_id, client_id, browser_session_id, scope, auth_time, amr, refresh_hash, refresh_salt, refresh_key_id, idle_expires_at, expires_at)
  select sid, tenant_id, user_id, (select id from clients where client_id = 'sized'), browser, 'openid profile email offline_access', now(),
         array['pwd'], sha256(sid::text::bytea), repeat('s', 22), '2026-11-21', now() + interval '30 days', now() + interval '90 days' from made;
insert into audit_log (tenant_id, at, action, actor_user_id, subject, after, ip, request_id)
  select tenant_id, now(), 'member.roles_changed', user_id, user_id::text, '{"roles": ["staff", "manager"]}', '203.0.113.7', gen_random_uuid()::text from made;
insert into outbox (id, type, subject, envelope, recorded_at)
  select gen_random_uuid(), 'auth.user.login', user_id::text, jsonb_build_object('specversion', '1.0', 'id', gen_random_uuid(), 'type', 'auth.user.login',
         'source', 'lango/auth', 'subject', user_id, 'time', now(), 'tenantid', tenant_id, 'tenantslug', 'sized-' || n, 'correlationid', gen_random_uuid(),
         'datacontenttype', 'application/json', 'data', jsonb_build_object('user_id', user_id, 'session_id', sid, 'client_id', 'sized', 'method', 'password')), now() from made;
select relname as "table", round((pg_total_relation_size(s.relid) - b.bytes) / 10000.0) as "bytes a row"
  from pg_stat_user_tables s join before b using (relid)
 where pg_total_relation_size(s.relid) - b.bytes > 100000 order by 1;
rollback;
