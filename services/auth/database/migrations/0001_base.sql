-- breaking: no
-- The schema as it is now; how it came to be is in migrations/. A test proves that both agree.

-- The order of names as people expect it: "Outlet 2" before "Outlet 10".
create collation natural_order (provider = icu, locale = 'und-u-kn-true');

create table tenants (
  id uuid not null default gen_random_uuid(),
  slug text not null,
  name text not null,
  status text not null default 'active',
  org_size text,
  use_case text,
  logo_url text,
  colour text,
  time_zone text not null default 'Africa/Nairobi',
  currency text not null default 'KES',
  locale text not null default 'en-KE',
  join_policy text not null default 'approval',
  outlet_isolation text not null default 'strict',
  version integer not null default 1,
  created_at timestamptz not null default now(),
  constraint tenants__pkey primary key (id),
  constraint tenants__slug_unique unique (slug),
  constraint tenants__id_not_nil check (id <> '00000000-0000-0000-0000-000000000000'),
  constraint tenants__slug_form check (slug ~ '^[a-z0-9-]{2,63}$'),
  constraint tenants__status_known check (status in ('active', 'suspended', 'deleted')),
  constraint tenants__join_policy_known check (join_policy in ('open', 'approval', 'invite')),
  constraint tenants__outlet_isolation_known check (outlet_isolation in ('strict', 'open'))
);
create index tenants__page on tenants (created_at, id);
create index tenants__deleted on tenants (id) where status = 'deleted';
comment on table tenants is 'Customers of the platform, and the platform owner itself. Name and branding are public by the slug.';
comment on column tenants.id is 'Made here and nowhere else; every service uses this id.';
comment on column tenants.join_policy is 'How a person joins: at once (open), after the decision of an administrator (approval), or by invitation only (invite).';
comment on column tenants.outlet_isolation is 'Whether people bound to outlets read other outlets'' rows when they name no outlet: strict (no) or open (yes). Changes stay within their outlets.';
comment on column tenants.version is 'Grows with every change and travels with its event.';

create table tenant_logos (
  tenant_id uuid not null,
  id text not null,
  content bytea not null,
  created_at timestamptz not null,
  constraint tenant_logos__pkey primary key (tenant_id, id),
  constraint tenant_logos__tenant_id_fkey foreign key (tenant_id) references tenants (id),
  constraint tenant_logos__id_form check (id ~ '^[0-9a-f]{64}$'),
  constraint tenant_logos__content_size check (octet_length(content) between 1 and 1048576)
);
comment on table tenant_logos is 'Uploaded logos: the present one of a tenant, which tenants.logo_url names, and the one before, which cached pages may still show.';
comment on column tenant_logos.id is 'SHA-256 of the content in hexadecimal.';
comment on column tenant_logos.content is 'A WebP image that the service encoded itself, at most 512 by 512 pixels.';

create table outlets (
  id uuid not null default gen_random_uuid(),
  tenant_id uuid not null,
  code text not null,
  name text not null,
  use_case text not null,
  is_hq boolean not null default false,
  status text not null default 'active',
  settings jsonb not null default '{}',
  version integer not null default 1,
  created_at timestamptz not null default now(),
  constraint outlets__pkey primary key (tenant_id, id),
  constraint outlets__tenant_id_fkey foreign key (tenant_id) references tenants (id),
  constraint outlets__code_unique unique (tenant_id, code),
  constraint outlets__use_case_known check (use_case in ('hospitality', 'retail', 'quick_service', 'pharmacy', 'services', 'logistics')),
  constraint outlets__status_known check (status in ('active', 'inactive', 'archived'))
);
comment on table outlets is 'Places where a tenant works. Archived ones are not offered.';
comment on column outlets.version is 'Grows with every change and travels with its event.';

create table users (
  id uuid not null default gen_random_uuid(),
  email text not null,
  email_folded text not null,
  email_verified boolean not null default false,
  name text not null,
  status text not null default 'active',
  primary_tenant_id uuid,
  selected_plan text,
  locale text,
  theme text,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  constraint users__pkey primary key (id),
  constraint users__email_unique unique (email_folded),
  constraint users__primary_tenant_id_fkey foreign key (primary_tenant_id) references tenants (id),
  constraint users__status_known check (status in ('active', 'pending', 'pending_review', 'disabled', 'deleted')),
  constraint users__locale_known check (locale in ('en', 'sw')),
  constraint users__theme_known check (theme in ('auto', 'light', 'dark'))
);
create index users__page on users (created_at, id);
comment on table users is 'People. One person may belong to many tenants; a person has no tenant of their own but a primary one.';
comment on column users.email_folded is 'The address as it is compared: NFKC, lower case.';
comment on column users.version is 'Grows with every change of the person (except the theme) or of what they may do anywhere, and travels with its event.';
comment on column users.selected_plan is 'The plan chosen at registration, kept on the profile (spec §4.1).';
comment on column users.locale is 'The language that the person chose on the pages, also for mails; null: none was chosen.';
comment on column users.theme is 'The theme that the person chose on the pages; null: none was chosen.';

create table credentials (
  id uuid not null default gen_random_uuid(),
  user_id uuid not null,
  kind text not null,
  secret text not null,
  changed_at timestamptz not null default now(),
  constraint credentials__pkey primary key (id),
  constraint credentials__user_id_fkey foreign key (user_id) references users (id) on delete cascade,
  constraint credentials__kind_unique unique (user_id, kind),
  constraint credentials__kind_known check (kind in ('password'))
);
comment on table credentials is 'How a person proves who they are, a row for each kind.';
comment on column credentials.secret is 'For a password: its argon2id hash in PHC form.';

create table memberships (
  tenant_id uuid not null,
  user_id uuid not null,
  roles text[] not null,
  status text not null default 'active',
  is_hq boolean not null default false,
  created_at timestamptz not null default now(),
  constraint memberships__pkey primary key (tenant_id, user_id),
  constraint memberships__tenant_id_fkey foreign key (tenant_id) references tenants (id),
  constraint memberships__user_id_fkey foreign key (user_id) references users (id) on delete cascade,
  constraint memberships__status_known check (status in ('active', 'pending', 'pending_review', 'removed')),
  constraint memberships__roles_known check (roles <@ array['superuser', 'admin', 'manager', 'cashier', 'waiter', 'kitchen', 'bar',
    'receptionist', 'staff', 'member', 'rider', 'viewer'])
);
create index memberships__user_id on memberships (user_id);
create index memberships__page on memberships (tenant_id, created_at, user_id);
comment on table memberships is 'The people of each tenant, with their roles.';
comment on column memberships.is_hq is 'Works for the whole tenant and is bound to no outlet.';

create table membership_outlets (
  tenant_id uuid not null,
  user_id uuid not null,
  outlet_id uuid not null,
  constraint membership_outlets__pkey primary key (tenant_id, user_id, outlet_id),
  constraint membership_outlets__membership_fkey foreign key (tenant_id, user_id) references memberships (tenant_id, user_id) on delete cascade,
  constraint membership_outlets__outlet_id_fkey foreign key (tenant_id, outlet_id) references outlets (tenant_id, id)
);
comment on table membership_outlets is 'The outlets a member may work at.';

create table clients (
  id uuid not null default gen_random_uuid(),
  client_id text not null,
  name text not null,
  redirect_uris text[] not null,
  post_logout_redirect_uris text[] not null default '{}',
  scopes text[] not null,
  public boolean not null,
  secret_hash bytea,
  pkce_required boolean not null default true,
  id_token_algorithm text not null default 'RS256',
  created_at timestamptz not null default now(),
  id_token_at_refresh boolean not null default true,
  first_party boolean not null default false,
  constraint clients__pkey primary key (id),
  constraint clients__client_id_unique unique (client_id),
  constraint clients__secret_unless_public check (public = (secret_hash is null)),
  constraint clients__public_need_pkce check (pkce_required or not public),
  constraint clients__id_token_algorithm_known check (id_token_algorithm in ('RS256', 'ES256'))
);
comment on table clients is 'OAuth clients (spec §2.7).';
comment on column clients.scopes is 'What it may ask for; a confidential client may have canonical and service permission codes among them, for tokens of its own.';
comment on column clients.id_token_at_refresh is 'Whether every refresh answers an ID token (OpenID Connect Core §12.2).';
comment on column clients.first_party is 'Whether its access tokens always carry the scope lango.api and every claim.';
comment on column clients.redirect_uris is 'Compared exactly; a path segment {tenant} matches one existing slug.';
comment on column clients.secret_hash is 'SHA-256 of the secret; public clients have none.';

create table browser_sessions (
  id uuid not null default gen_random_uuid(),
  token_hash bytea not null,
  user_id uuid not null,
  auth_time timestamptz not null,
  amr text[] not null,
  last_used_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  device text,
  country text,
  city text,
  constraint browser_sessions__pkey primary key (id),
  constraint browser_sessions__token_unique unique (token_hash),
  constraint browser_sessions__user_id_fkey foreign key (user_id) references users (id) on delete cascade
);
create index browser_sessions__user_id on browser_sessions (user_id);
create index browser_sessions__expires_at on browser_sessions (expires_at);
create index browser_sessions__ended_at on browser_sessions (ended_at) where ended_at is not null;
comment on table browser_sessions is 'A person signed in on a browser: the cookie identifies it. Many client sessions belong to one.';
comment on column browser_sessions.device is 'Browser and system at the last sign-in, from a fixed table.';
comment on column browser_sessions.country is 'Country of the address at the last sign-in (ISO 3166-1 alpha-2); null if it is not known. The address is not stored.';
comment on column browser_sessions.city is 'City of the address at the last sign-in, in English; null if it is not known.';
comment on column browser_sessions.amr is 'How the person proved who they are (RFC 8176).';

create table last_devices (
  user_id uuid not null,
  likeness bytea,
  noted_at timestamptz not null,
  constraint last_devices__pkey primary key (user_id),
  constraint last_devices__user_id_fkey foreign key (user_id) references users (id) on delete cascade
);
comment on table last_devices is 'That a person has signed in before, and the last device that was unknown then: one mail for each new device. Devices themselves are known by their cookie.';
comment on column last_devices.likeness is 'Keyed hash of the account, network and browser of the last unknown device; null until there was one.';
comment on column last_devices.noted_at is 'When it was noted: a device that is like it counts as new after a day.';

create table sessions (
  id uuid not null,
  tenant_id uuid not null,
  user_id uuid not null,
  client_id uuid not null,
  browser_session_id uuid,
  outlet_id uuid,
  scope text not null,
  resource text,
  claims jsonb,
  auth_time timestamptz not null,
  amr text[] not null,
  generation integer not null default 0,
  refresh_hash bytea,
  refresh_salt text,
  refresh_key_id text,
  rotated_at timestamptz,
  resumed_at timestamptz,
  idle_expires_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  revoked_because text,
  created_at timestamptz not null default now(),
  constraint sessions__pkey primary key (tenant_id, id),
  constraint sessions__tenant_id_fkey foreign key (tenant_id) references tenants (id),
  constraint sessions__user_id_fkey foreign key (user_id) references users (id) on delete cascade,
  constraint sessions__client_id_fkey foreign key (client_id) references clients (id) on delete cascade,
  constraint sessions__browser_session_id_fkey foreign key (browser_session_id) references browser_sessions (id) on delete set null,
  constraint sessions__outlet_id_fkey foreign key (tenant_id, outlet_id) references outlets (tenant_id, id)
) with (fillfactor = 80);
create index sessions__user_id on sessions (user_id);
create index sessions__live_user_id on sessions (user_id) where revoked_at is null;
create index sessions__id on sessions (id);
create index sessions__browser_session_id on sessions (browser_session_id);
create index sessions__expires_at on sessions (expires_at);
create index sessions__revoked_at on sessions (revoked_at) where revoked_at is not null;
comment on table sessions is 'What one client was given for one person in one tenant: the `sid` of its tokens, and the one live refresh token.';
comment on index sessions__id is 'For tokens that do not name their tenant (clients without the scope tenant), and for lists of a person.';
comment on column sessions.resource is 'The one audience its tokens are for (RFC 8707); the whole platform when none is named.';
comment on column sessions.claims is 'Claims asked for one by one (OpenID Connect Core §5.5): names by place, id_token or userinfo.';
comment on column sessions.generation is 'How often the refresh token was rotated.';
comment on column sessions.refresh_hash is 'SHA-256 of the live refresh token; none without offline_access.';
comment on column sessions.refresh_salt is 'Part of every refresh token of the session; with the server''s key named beside it, the live one can be computed again.';
comment on column sessions.rotated_at is 'When the refresh token was last rotated: the one before it is good for a short grace.';

create table authorization_codes (
  code_hash bytea not null,
  tenant_id uuid not null,
  user_id uuid not null,
  client_id uuid not null,
  browser_session_id uuid not null,
  redirect_uri text not null,
  code_challenge text,
  scope text not null,
  resource text,
  claims jsonb,
  nonce text,
  auth_time timestamptz not null,
  amr text[] not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  session_id uuid,
  constraint authorization_codes__pkey primary key (tenant_id, code_hash)
);
create index authorization_codes__expires_at on authorization_codes (expires_at);
comment on table authorization_codes is 'Codes on their way from the browser to a client: valid for 60 seconds, once, at the client they were made for. No references: the session that a code opens has them.';
comment on column authorization_codes.session_id is 'The session its first use opened, if everything fitted; a second use revokes it.';

create table one_time_tokens (
  token_hash bytea not null,
  kind text not null,
  tenant_id uuid not null,
  user_id uuid not null,
  session_id uuid,
  expires_at timestamptz not null,
  used_at timestamptz,
  client_id text,
  scope text,
  audience text,
  access_expires_at timestamptz,
  wrong_outlets integer not null default 0,
  constraint one_time_tokens__pkey primary key (tenant_id, token_hash),
  constraint one_time_tokens__kind_known check (kind in ('sso_exchange', 'outlet_switch')),
  constraint one_time_tokens__switch_limits check (kind <> 'outlet_switch'
    or (client_id is not null and scope is not null and audience is not null and access_expires_at is not null)),
  constraint one_time_tokens__session_id_fkey foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade
);
create index one_time_tokens__expires_at on one_time_tokens (expires_at);
comment on table one_time_tokens is 'Values that are good once and for one purpose, their kind.';
comment on column one_time_tokens.client_id is 'With scope, audience and access_expires_at: the limits of the access token that an outlet_switch began with, which its answer keeps.';
comment on column one_time_tokens.wrong_outlets is 'How many outlet ids were refused; the fifth consumes the token.';

create table signing_keys (
  kid text not null,
  algorithm text not null,
  status text not null,
  sealed bytea not null,
  key_encryption_key_id text not null,
  created_at timestamptz not null,
  changed_at timestamptz not null,
  constraint signing_keys__pkey primary key (kid),
  constraint signing_keys__algorithm_known check (algorithm in ('ES256', 'RS256')),
  constraint signing_keys__status_known check (status in ('pending', 'active', 'retired', 'removed'))
);
create unique index signing_keys__one_active on signing_keys (algorithm) where status = 'active';
create unique index signing_keys__one_pending on signing_keys (algorithm) where status = 'pending';
comment on table signing_keys is 'Keys that sign tokens, encrypted under the key-encryption key named beside them. pending → active → retired → removed.';
comment on column signing_keys.changed_at is 'When it came to its status: a pending key signs only after it was published long enough, a retired one stays published as long as its tokens live.';

create table audit_log (
  id uuid not null default gen_random_uuid(),
  position bigint not null generated always as identity,
  tenant_id uuid not null,
  at timestamptz not null,
  action text not null,
  actor_user_id uuid,
  subject text,
  before jsonb,
  after jsonb,
  ip text,
  request_id text,
  constraint audit_log__pkey primary key (tenant_id, id)
);
create index audit_log__tenant_id on audit_log (tenant_id, at desc, position desc);
create index audit_log__at on audit_log (at desc, position desc);
create index audit_log__actor on audit_log (actor_user_id);
comment on column audit_log.tenant_id is 'The nil UUID in entries about the platform: keys have no nulls, and no tenant has this id.';
comment on column audit_log.position is 'The order of a tenant''s rows of the same time. Rows hold ids and settings, never a name or an address of a person.';
comment on table audit_log is 'Each action with its actor, time and address. Rows are added, never changed.';

-- Tenant administration: slugs, invitations, links sent by mail, keys of other services ---------------------------------

create table tenant_slugs (
  slug text not null,
  tenant_id uuid not null,
  created_at timestamptz not null default now(),
  constraint tenant_slugs__pkey primary key (slug),
  constraint tenant_slugs__tenant_id_fkey foreign key (tenant_id) references tenants (id)
);
create index tenant_slugs__tenant_id on tenant_slugs (tenant_id);
comment on table tenant_slugs is 'Every slug a tenant ever had: none is given to another tenant, also after a rename or an erasure.';

create table invitations (
  id uuid not null,
  tenant_id uuid not null,
  email text not null,
  email_folded text not null,
  roles text[] not null,
  outlet_ids uuid[] not null default '{}',
  is_hq boolean not null default false,
  token_hash bytea not null,
  key_id text not null,
  created_by uuid not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  accepted_by uuid,
  withdrawn_at timestamptz,
  constraint invitations__pkey primary key (tenant_id, id),
  constraint invitations__tenant_id_fkey foreign key (tenant_id) references tenants (id),
  constraint invitations__token_unique unique (tenant_id, token_hash),
  constraint invitations__roles_known check (roles <@ array['superuser', 'admin', 'manager', 'cashier', 'waiter', 'kitchen', 'bar',
    'receptionist', 'staff', 'member', 'rider', 'viewer'])
);
create index invitations__tenant_id on invitations (tenant_id, created_at desc, id desc);
create index invitations__id on invitations (id);
create index invitations__email on invitations (email_folded);
create index invitations__ended on invitations (least(accepted_at, withdrawn_at, expires_at));
comment on table invitations is 'An address invited into a tenant: good once, for that tenant and that address, until it expires or is withdrawn.';
comment on column invitations.token_hash is 'SHA-256 of what the invited person brings. The value follows from the id and the server''s key named in key_id, and ends with the tenant.';
comment on index invitations__id is 'For the service that sends mail, which asks for links by their id.';

create table one_time_links (
  id uuid not null,
  kind text not null,
  user_id uuid not null,
  email text not null,
  token_hash bytea not null,
  key_id text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  constraint one_time_links__pkey primary key (id),
  constraint one_time_links__token_unique unique (token_hash),
  constraint one_time_links__user_id_fkey foreign key (user_id) references users (id) on delete cascade,
  constraint one_time_links__kind_known check (kind in ('password_reset', 'email_verification'))
);
create index one_time_links__user_id on one_time_links (user_id, kind, created_at);
create index one_time_links__expires_at on one_time_links (expires_at);
comment on table one_time_links is 'What a person is sent by mail: good once and for its kind. Of the value only the hash is kept; it follows from the id and a key of the server.';
comment on column one_time_links.email is 'The address it was sent to: it proves that one and no other.';

create table api_keys (
  id text not null,
  secret_hash bytea not null,
  source text not null,
  caller text,
  permissions text[] not null default '{}',
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  constraint api_keys__pkey primary key (id),
  constraint api_keys__hash_length check (octet_length(secret_hash) = 32),
  constraint api_keys__source_known check (source in ('setting'))
);
comment on table api_keys is 'Keys that are good for all tenants, by which the other services ask.';
comment on column api_keys.source is 'setting: it came from AUTH_API_KEYS.';
comment on column api_keys.caller is 'The service that calls with it; null: a key of an earlier release, which all services shared.';
comment on column api_keys.permissions is 'What it may be used for.';
comment on column api_keys.expires_at is 'Refused from then on; null: good until replaced.';

-- End of tenant administration's tables ---------------------------------------------------------------------------------

-- Isolation: a tenant's rows are seen inside that tenant, by the look-ups, and by the platform owner's reader.
do $$
declare
  guarded text;
begin
  foreach guarded in array array['outlets', 'memberships', 'membership_outlets', 'sessions', 'authorization_codes', 'one_time_tokens', 'audit_log'] loop
    execute format('alter table %I enable row level security', guarded);
    execute format('alter table %I force row level security', guarded);
    execute format('create policy %I on %I using (tenant_id = nullif(current_setting(''app.tenant_id'', true), '''')::uuid)', guarded || '__tenant', guarded);
    execute format('create policy %I on %I to lango_lookup using (true)', guarded || '__lookup', guarded);
    execute format('create policy %I on %I for select to lango_platform using (true)', guarded || '__platform', guarded);
  end loop;
end $$;

grant select, insert, update, delete on outlets, memberships, membership_outlets, sessions, authorization_codes, one_time_tokens,
  tenants, users, credentials, clients, browser_sessions, last_devices, signing_keys to lango_app, lango_lookup;
grant select, insert on audit_log to lango_app, lango_lookup;
grant select on tenants, users, outlets, memberships, membership_outlets, sessions, audit_log to lango_platform;

-- Whether a member is bound to no outlet: headquarters, administrators and superusers (spec §2.3). The only place of this rule.
create function is_hq_user(p_roles text[], p_is_hq boolean) returns boolean
language sql immutable
return p_is_hq or p_roles && array['admin', 'superuser'];
revoke all on function is_hq_user(text[], boolean) from public;
grant execute on function is_hq_user(text[], boolean) to lango_app, lango_lookup;

-- What a token says of a person in a tenant: one look, used by sign-in, refresh and auth/me.
create function membership_state_of(p_user uuid, p_tenant uuid) returns jsonb
language plpgsql stable security definer set search_path = public, pg_temp
as $$
declare
  v_user jsonb;
  v_tenant jsonb;
  v_membership jsonb;
  v_active integer;
  v_outlets jsonb;
begin
  select jsonb_build_object('id', u.id, 'email', u.email, 'email_verified', u.email_verified, 'name', u.name, 'status', u.status,
      'primary_tenant_id', u.primary_tenant_id, 'selected_plan', u.selected_plan, 'locale', u.locale, 'theme', u.theme),
      jsonb_build_object('id', t.id, 'slug', t.slug, 'name', t.name, 'status', t.status)
    into v_user, v_tenant
    from users u, tenants t where u.id = p_user and t.id = p_tenant;
  if not found then
    return null;
  end if;
  select jsonb_build_object('roles', m.roles, 'status', m.status, 'is_hq', m.is_hq, 'is_hq_user', is_hq_user(m.roles, m.is_hq))
    into v_membership
    from memberships m where m.tenant_id = p_tenant and m.user_id = p_user and m.status <> 'removed';
  select count(*) into v_active from (select 1 from outlets o where o.tenant_id = p_tenant and o.status = 'active' limit 2) two;
  select coalesce(jsonb_agg(jsonb_build_object('id', o.id, 'code', o.code, 'use_case', o.use_case) order by o.code), '[]') into v_outlets
    from (select o.id, o.code, o.use_case from outlets o
            left join membership_outlets mo on mo.tenant_id = p_tenant and mo.user_id = p_user and mo.outlet_id = o.id
           where o.tenant_id = p_tenant and o.status = 'active' and (v_active = 1 or mo.outlet_id is not null)
           order by o.code limit 500) o;
  return jsonb_build_object('user', v_user, 'tenant', v_tenant || jsonb_build_object('has_outlets', v_active > 0),
    'membership', v_membership, 'outlets', v_outlets);
end $$;

-- A person by address with the tenant they mean: the named one, else their primary one.
create function find_sign_in(p_email_folded text, p_tenant_slug text)
returns table (user_id uuid, secret text, tenant_id uuid, membership_state jsonb)
language plpgsql stable security definer set search_path = public, pg_temp
as $$
#variable_conflict use_column
begin
  select u.id, c.secret, t.id into user_id, secret, tenant_id
    from users u
    left join credentials c on c.user_id = u.id and c.kind = 'password'
    left join tenants t on case when p_tenant_slug = '' then t.id = u.primary_tenant_id else t.slug = p_tenant_slug end
   where u.email_folded = p_email_folded;
  if user_id is not null then
    membership_state := case when tenant_id is not null then membership_state_of(user_id, tenant_id) end;
    return next;
  end if;
end $$;

-- The membership state of a person in the named tenant, or in their primary one without a name; null if they are not a member.
create function find_membership_state(p_user uuid, p_tenant_slug text) returns jsonb
language plpgsql stable security definer set search_path = public, pg_temp
as $$
declare
  v_tenant uuid;
  v_state jsonb;
begin
  select t.id into v_tenant
    from users u
    join tenants t on case when p_tenant_slug is null then t.id = u.primary_tenant_id else t.slug = p_tenant_slug end
   where u.id = p_user;
  v_state := membership_state_of(p_user, v_tenant);
  return case when v_state->'membership' <> 'null' then v_state end;
end $$;

-- The tenants a person belongs to.
create function list_memberships(p_user uuid)
returns table (tenant_id uuid, slug text, name text, roles text[], status text)
language plpgsql stable security definer set search_path = public, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    select t.id, t.slug, t.name, m.roles, m.status from memberships m join tenants t on t.id = m.tenant_id
     where m.user_id = p_user and m.status <> 'removed' order by t.slug limit 500;
end $$;

-- The browser session behind a cookie with the person's membership state in the tenant, kept alive (noted once a minute);
-- none when it has ended, idled away or run out.
create function resume_browser_session(p_token_hash bytea, p_now timestamptz, p_idle interval, p_tenant_slug text)
returns table (id uuid, user_id uuid, auth_time timestamptz, amr text[], membership_state jsonb)
language plpgsql volatile security definer set search_path = public, pg_temp
as $$
#variable_conflict use_column
begin
  select s.id, s.user_id, s.auth_time, s.amr into id, user_id, auth_time, amr
    from browser_sessions s join users u on u.id = s.user_id
   where s.token_hash = p_token_hash and s.ended_at is null and s.expires_at > p_now and s.last_used_at > p_now - p_idle
     and u.status in ('active', 'pending', 'pending_review');
  if not found then
    return;
  end if;
  update browser_sessions s set last_used_at = p_now where s.token_hash = p_token_hash and s.last_used_at < p_now - interval '1 minute';
  membership_state := find_membership_state(user_id, p_tenant_slug);
  return next;
end $$;

-- The tenant of a session, for the token of a client without the scope tenant. A caller without a tenant asks for it in the same statement.
create function tenant_of_session(p_session uuid) returns uuid
language plpgsql stable security definer set search_path = public, pg_temp
as $$
begin
  return (select s.tenant_id from sessions s where s.id = p_session);
end $$;

-- Whether a session lives, and what its tokens would say now.
create function find_session(p_tenant uuid, p_session uuid, p_now timestamptz)
returns table (client_id text, outlet_id uuid, scope text, resource text, claims jsonb, auth_time timestamptz, amr text[],
  generation integer, refresh_salt text, refresh_key_id text, id_token_algorithm text, membership_state jsonb)
language plpgsql stable security definer set search_path = public, pg_temp
as $$
#variable_conflict use_column
declare
  v_user uuid;
begin
  select c.client_id, s.outlet_id, s.scope, s.resource, s.claims, s.auth_time, s.amr, s.generation, s.refresh_salt, s.refresh_key_id,
      c.id_token_algorithm, s.user_id
    into client_id, outlet_id, scope, resource, claims, auth_time, amr, generation, refresh_salt, refresh_key_id,
      id_token_algorithm, v_user
    from sessions s join clients c on c.id = s.client_id
   where s.tenant_id = p_tenant and s.id = p_session and s.revoked_at is null and s.expires_at > p_now;
  if found then
    membership_state := membership_state_of(v_user, p_tenant);
    return next;
  end if;
end $$;

-- The outlet of a session that is good for anything now, empty when it has none; null when it is not.
create function live_session_outlet(p_tenant uuid, p_session uuid, p_now timestamptz) returns text
language plpgsql stable security definer set search_path = public, pg_temp
as $$
begin
  return (select coalesce(s.outlet_id::text, '') from sessions s
           where s.tenant_id = p_tenant and s.id = p_session and s.revoked_at is null and s.expires_at > p_now);
end $$;


-- Notifies every process what to remove from its caches: `user:<id>`, `session:<id>`, or `tenant:<id>`.
create function notify_changed() returns trigger language plpgsql set search_path = public, pg_temp
as $$
begin
  perform pg_notify('auth_changed', tg_argv[0] || ':' || (to_jsonb(coalesce(new, old)) ->> tg_argv[1]));
  return null;
end $$;

create trigger users__notify after update or delete on users for each row execute function notify_changed('user', 'id');
create trigger memberships__notify after insert or update or delete on memberships
  for each row execute function notify_changed('user', 'user_id');
create trigger membership_outlets__notify after insert or update or delete on membership_outlets
  for each row execute function notify_changed('user', 'user_id');
create trigger outlets__notify after insert or update or delete on outlets for each row execute function notify_changed('tenant', 'tenant_id');
create trigger tenants__notify after update or delete on tenants for each row execute function notify_changed('tenant', 'id');
create trigger sessions__notify after update of outlet_id on sessions for each row execute function notify_changed('session', 'id');

-- Rows that have had their time, so many of each kind at once, and none that somebody holds; answers how many went. Codes and
-- one-time tokens go a day after they ran out, sessions seven days after their end, invitations thirty. Tenant by tenant, because a
-- cluster locks no rows of several tenants in one statement; the rows that every node has are chosen first, so that all nodes remove the same.
create function purge_expired(p_now timestamptz, p_limit integer) returns integer
language plpgsql volatile security definer set search_path = public, pg_temp
as $$
declare
  v_day timestamptz := p_now - interval '1 day';
  v_week timestamptz := p_now - interval '7 days';
  v_month timestamptz := p_now - interval '30 days';
  v_gone integer := 0;
  v_left integer;
  v_count integer;
  v_kind record;
  v_tenant uuid;
  v_one uuid;
  v_browsers uuid[] := '{}';
begin
  for v_kind in
    select * from (values
      (1, 'authorization_codes', 'code_hash', 'expires_at', v_day),
      (2, 'one_time_tokens', 'token_hash', 'expires_at', v_day),
      (3, 'sessions', 'id', 'expires_at', v_week),
      (4, 'sessions', 'id', 'revoked_at', v_week),
      (5, 'invitations', 'id', 'least(accepted_at, withdrawn_at, expires_at)', v_month)) k (place, name, key, ended, before)
     order by place
  loop
    v_left := p_limit;
    for v_tenant in
      execute format('select distinct r.tenant_id from (select tenant_id from %I where %s < $1 limit $2) r', v_kind.name, v_kind.ended)
        using v_kind.before, p_limit
    loop
      execute format('delete from %1$I d where d.tenant_id = $1 and d.%2$I = any (array(
          select x.%2$I from %1$I x where x.tenant_id = $1 and %3$s < $2 limit $3 for update skip locked))', v_kind.name, v_kind.key, v_kind.ended)
        using v_tenant, v_kind.before, v_left;
      get diagnostics v_count = row_count;
      v_left := v_left - v_count;
      v_gone := v_gone + v_count;
    end loop;
  end loop;
  for v_one in select b.id from browser_sessions b where b.expires_at < v_week limit p_limit for update skip locked loop
    v_browsers := v_browsers || v_one;
  end loop;
  for v_one in select b.id from browser_sessions b where b.ended_at < v_week limit p_limit for update skip locked loop
    v_browsers := v_browsers || v_one;
  end loop;
  delete from browser_sessions b where b.id = any (v_browsers);
  get diagnostics v_count = row_count;
  return v_gone + v_count;
end $$;

-- Looks at so many sessions after one, by their id, and removes those that were not used until seven days ago; answers how far it looked
-- (null at the end) and how many went. By id, because an index by the time would be written at every refresh.
create function purge_idle_sessions(p_now timestamptz, p_after uuid, p_limit integer) returns table (looked_to uuid, gone integer)
language plpgsql volatile security definer set search_path = public, pg_temp
as $$
declare
  v_after uuid := coalesce(p_after, '00000000-0000-0000-0000-000000000000');
  v_week timestamptz := p_now - interval '7 days';
  v_count integer;
  v_tenant uuid;
begin
  gone := 0;
  select l.id into looked_to
    from (select s.id from sessions s where s.id > v_after order by s.id limit p_limit) l order by l.id desc limit 1;
  for v_tenant in
    select distinct s.tenant_id from sessions s where s.id > v_after and s.id <= looked_to and s.idle_expires_at < v_week
  loop
    delete from sessions d where d.tenant_id = v_tenant and d.id = any (array(
      select s.id from sessions s
       where s.tenant_id = v_tenant and s.id > v_after and s.id <= looked_to and s.idle_expires_at < v_week for update skip locked));
    get diagnostics v_count = row_count;
    gone := gone + v_count;
  end loop;
  return next;
end $$;

-- Revokes one session; no row when it was revoked before.
create function revoke_session(p_tenant uuid, p_session uuid, p_now timestamptz, p_because text)
returns table (session_id uuid, tenant_id uuid, user_id uuid)
language plpgsql volatile security definer set search_path = public, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    update sessions s set revoked_at = p_now, revoked_because = p_because
     where s.tenant_id = p_tenant and s.id = p_session and s.revoked_at is null
    returning s.id, s.tenant_id, s.user_id;
end $$;

-- Uses a code up, whatever comes of it, and opens its session when everything fits: one statement, so that of twenty
-- parallel uses one wins. `outcome` says what did not fit; of a second use, `opened` is the session the first one opened.
-- The browser's session is held until the end, so that a sign-out at the same moment either comes first or ends this
-- session too. A person who has a single outlet and is bound to it starts there. The membership state is that of `membership_state_of`, but no outlets
-- are listed for a person who is not bound to any.
create function redeem_code(p_tenant uuid, p jsonb) returns json
language plpgsql volatile security definer set search_path = public, pg_temp
as $$
declare
  v_now timestamptz := (p->>'now')::timestamptz;
  v_hash bytea := decode(p->>'code_hash', 'hex');
  v_session uuid := (p->>'session_id')::uuid;
  v_code authorization_codes;
  v_opened uuid;
  v_outcome text;
  v_user json;
  v_tenant json;
  v_membership json;
  v_outlets json := '[]';
  v_outlet uuid;
  v_is_active boolean;
  v_is_bound boolean;
  v_offline boolean;
  v_kept uuid;
begin
  update authorization_codes c set used_at = v_now, session_id = v_session
   where c.tenant_id = p_tenant and c.code_hash = v_hash and c.used_at is null
  returning c.* into v_code;
  if not found then
    select 'used', c.session_id into v_outcome, v_opened from authorization_codes c
     where c.tenant_id = p_tenant and c.code_hash = v_hash;
    return json_build_object('outcome', coalesce(v_outcome, 'unknown'), 'opened', v_opened);
  end if;
  v_outcome := case
    when v_code.expires_at <= v_now then 'expired'
    when v_code.client_id <> (p->>'client_id')::uuid then 'client'
    when v_code.redirect_uri is distinct from p->>'redirect_uri' then 'redirect_uri'
    when v_code.code_challenge is distinct from p->>'code_challenge' then 'code_verifier'
    when p->>'resource' is not null and v_code.resource is not null and p->>'resource' <> v_code.resource then 'resource' end;
  if v_outcome is not null then
    return json_build_object('outcome', v_outcome);
  end if;
  select json_build_object('id', u.id, 'email', u.email, 'email_verified', u.email_verified, 'name', u.name, 'status', u.status,
      'primary_tenant_id', u.primary_tenant_id, 'selected_plan', u.selected_plan, 'locale', u.locale, 'theme', u.theme),
      json_build_object('id', t.id, 'slug', t.slug, 'name', t.name, 'status', t.status,
        'has_outlets', exists (select from outlets any_one where any_one.tenant_id = p_tenant and any_one.status = 'active')),
      case when m.user_id is not null then json_build_object('roles', m.roles, 'status', m.status, 'is_hq', m.is_hq,
        'is_hq_user', is_hq_user(m.roles, m.is_hq)) end,
      u.status = 'active' and m.status = 'active', not is_hq_user(m.roles, m.is_hq)
    into v_user, v_tenant, v_membership, v_is_active, v_is_bound
    from browser_sessions b
    join users u on u.id = v_code.user_id
    join tenants t on t.id = p_tenant
    left join memberships m on m.tenant_id = p_tenant and m.user_id = v_code.user_id and m.status <> 'removed'
   where b.id = v_code.browser_session_id and b.ended_at is null and b.expires_at > v_now
     for share of b;
  if not found then
    return json_build_object('outcome', 'signed_out');
  end if;
  if v_is_bound then
    select coalesce(json_agg(json_build_object('id', o.id, 'code', o.code, 'use_case', o.use_case) order by o.code), '[]'),
        case when v_is_active and count(*) = 1 then (array_agg(o.id))[1] end
      into v_outlets, v_outlet
      from (select one.id, one.code, one.use_case from outlets one
             where one.tenant_id = p_tenant and one.status = 'active'
               and (exists (select from membership_outlets mo
                             where mo.tenant_id = p_tenant and mo.user_id = v_code.user_id and mo.outlet_id = one.id)
                    or not exists (select from outlets other
                                    where other.tenant_id = p_tenant and other.status = 'active' and other.id <> one.id))
             order by one.code limit 500) o;
  end if;
  v_offline := 'offline_access' = any (string_to_array(v_code.scope, ' '));
  -- The pages of a first-party client have one session in a browser and a tenant, as long as they need no refresh token.
  if not v_offline and v_code.resource is null then
    update sessions s set resumed_at = v_now, auth_time = v_code.auth_time, amr = v_code.amr, outlet_id = coalesce(v_outlet, s.outlet_id),
        idle_expires_at = least(s.expires_at, v_now + (p->>'idle_seconds')::int * interval '1 second')
     where s.tenant_id = p_tenant and s.id = (select l.id from sessions l join clients c on c.id = l.client_id
                    where l.browser_session_id = v_code.browser_session_id and l.client_id = v_code.client_id
                      and l.tenant_id = p_tenant and l.user_id = v_code.user_id and c.first_party
                      and l.refresh_hash is null and l.resource is null and l.revoked_at is null
                      and l.expires_at > v_now and l.idle_expires_at > v_now
                      and string_to_array(v_code.scope, ' ') <@ (string_to_array(l.scope, ' ') || text 'lango.api')
                    order by l.created_at desc, l.id limit 1 for update of l)
    returning s.id, s.outlet_id into v_kept, v_outlet;
  end if;
  if v_kept is not null then
    v_session := v_kept;
    update authorization_codes c set session_id = v_kept where c.tenant_id = p_tenant and c.code_hash = v_hash;
  else
    insert into sessions (id, tenant_id, user_id, client_id, browser_session_id, outlet_id, scope, resource, claims, auth_time, amr,
      refresh_hash, refresh_salt, refresh_key_id, idle_expires_at, expires_at)
    values (v_session, p_tenant, v_code.user_id, v_code.client_id, v_code.browser_session_id, v_outlet, v_code.scope,
      v_code.resource, v_code.claims, v_code.auth_time, v_code.amr,
      case when v_offline then decode(p->>'refresh_hash', 'hex') end,
      case when v_offline then p->>'refresh_salt' end,
      case when v_offline then p->>'refresh_key_id' end,
      v_now + (p->>'idle_seconds')::int * interval '1 second', v_now + (p->>'life_seconds')::int * interval '1 second');
  end if;
  return json_build_object('outcome', 'ok', 'session_id', v_session, 'outlet_id', v_outlet, 'scope', v_code.scope, 'resource', v_code.resource,
    'claims', v_code.claims, 'nonce', v_code.nonce, 'auth_time', v_code.auth_time, 'amr', v_code.amr,
    'membership_state', json_build_object('user', v_user, 'tenant', v_tenant, 'membership', v_membership, 'outlets', v_outlets));
end $$;

-- Rotates a refresh token: compare and swap on the live hash, or the same successor again within the grace.
-- `reused` is an older one, or the one before after its grace: the session is to be revoked, and no other. Asking for more
-- than was granted (`scope`, `resource`) rotates nothing. Of all functions the one most often called, so the membership state of
-- a person who needs no choice of outlets is read here with the rest; `membership_state_of` says the same and more.
create function rotate_refresh_token(p_tenant uuid, p jsonb) returns json
language plpgsql volatile security definer set search_path = public, pg_temp
as $$
declare
  v_now timestamptz := (p->>'now')::timestamptz;
  v_id uuid := (p->>'session_id')::uuid;
  v_client uuid := (p->>'client_id')::uuid;
  v_generation integer := (p->>'generation')::integer;
  v_hash bytea := decode(p->>'hash', 'hex');
  v_scopes text[] := string_to_array(p->>'scope', ' ');
  v_resource text := p->>'resource';
  v_outcome text := 'rotated';
  v_session sessions;
  v_needs_no_choice boolean;
  v_state json;
begin
  update sessions s
     set generation = s.generation + 1, refresh_hash = decode(p->>'next_hash', 'hex'), rotated_at = v_now,
         idle_expires_at = least(s.expires_at, v_now + (p->>'idle_seconds')::int * interval '1 second')
   where s.tenant_id = p_tenant and s.id = v_id and s.client_id = v_client and s.revoked_at is null and s.refresh_hash = v_hash
     and s.idle_expires_at > v_now and s.expires_at > v_now
     and (v_scopes is null or string_to_array(s.scope, ' ') @> v_scopes)
     and (v_resource is null or s.resource is null or s.resource = v_resource)
  returning s.* into v_session;
  if not found then
    select s.* into v_session from sessions s where s.tenant_id = p_tenant and s.id = v_id for update;
    v_outcome := case
      when v_session.id is null or v_session.refresh_hash is null then 'unknown'
      when v_session.client_id <> v_client then 'client'
      when v_session.revoked_at is not null then 'revoked'
      when v_session.idle_expires_at <= v_now or v_session.expires_at <= v_now then 'expired'
      when v_session.refresh_hash = v_hash then 'live'
      when v_generation = v_session.generation - 1 and v_session.rotated_at > v_now - (p->>'grace_seconds')::int * interval '1 second'
        then 'again'
      when v_generation < v_session.generation then 'reused'
      else 'unknown' end;
    if v_outcome in ('live', 'again') then
      v_outcome := case
        when not string_to_array(v_session.scope, ' ') @> v_scopes then 'scope'
        when v_resource <> v_session.resource then 'resource'
        when v_outcome = 'live' then 'unknown'
        else 'again' end;
    end if;
    if v_outcome <> 'again' then
      return json_build_object('outcome', v_outcome);
    end if;
  end if;
  select json_build_object(
      'user', json_build_object('id', u.id, 'email', u.email, 'email_verified', u.email_verified, 'name', u.name, 'status', u.status,
        'primary_tenant_id', u.primary_tenant_id, 'selected_plan', u.selected_plan, 'locale', u.locale, 'theme', u.theme),
      'tenant', json_build_object('id', t.id, 'slug', t.slug, 'name', t.name, 'status', t.status, 'has_outlets',
        o.id is not null or exists (select from outlets any_one where any_one.tenant_id = p_tenant and any_one.status = 'active')),
      'membership', json_build_object('roles', m.roles, 'status', m.status, 'is_hq', m.is_hq,
        'is_hq_user', is_hq_user(m.roles, m.is_hq)),
      'outlets', case when o.id is null then json_build_array()
                      else json_build_array(json_build_object('id', o.id, 'code', o.code, 'use_case', o.use_case)) end),
      o.id is not null or is_hq_user(m.roles, m.is_hq)
    into v_state, v_needs_no_choice
    from users u
    join tenants t on t.id = p_tenant
    join memberships m on m.tenant_id = p_tenant and m.user_id = v_session.user_id and m.status <> 'removed'
    left join outlets o on o.id = coalesce(v_session.outlet_id, '00000000-0000-0000-0000-000000000000') and o.tenant_id = p_tenant and o.status = 'active'
      and (exists (select from membership_outlets mo
                    where mo.tenant_id = p_tenant and mo.user_id = v_session.user_id and mo.outlet_id = o.id)
           or not exists (select from outlets other where other.tenant_id = p_tenant and other.status = 'active' and other.id <> o.id))
   where u.id = v_session.user_id;
  if v_needs_no_choice is not true then
    v_state := membership_state_of(v_session.user_id, p_tenant);
  end if;
  return json_build_object('outcome', v_outcome, 'outlet_id', v_session.outlet_id, 'scope', v_session.scope,
    'resource', v_session.resource, 'claims', v_session.claims, 'auth_time', v_session.auth_time, 'amr', v_session.amr,
    'membership_state', v_state);
end $$;

create function is_live_refresh_token(p_tenant uuid, p_session uuid, p_hash bytea, p_now timestamptz) returns boolean
language plpgsql stable security definer set search_path = public, pg_temp
as $$
begin
  return (
    select exists (select from sessions s where s.tenant_id = p_tenant and s.id = p_session and s.refresh_hash = p_hash and s.revoked_at is null
      and s.idle_expires_at > p_now and s.expires_at > p_now));
end $$;

-- Records an authorization code if the person behind a cookie may have it, and extends the browser session: one statement. The outcome is
-- `recorded`, `sign_in_required` (no live session, another person than `subject`, or a sign-in before `signed_in_since`), `not_a_member`
-- or `tenant_inactive`. Recorded, with the tenant, which becomes part of the code. The tenant is the one of `tenant_slug`; without a slug it is the person's primary tenant. The commit does not wait for
-- the disk: if a crash loses a code, the client asks for another.
create function issue_code(p jsonb) returns jsonb
language plpgsql volatile security definer set search_path = public, pg_temp
as $$
declare
  v_now timestamptz := (p->>'now')::timestamptz;
  v_slug text := p->>'tenant_slug';
  v_browser uuid;
  v_user uuid;
  v_auth_time timestamptz;
  v_amr text[];
  v_used_at timestamptz;
  v_tenant uuid;
  v_tenant_status text;
begin
  select b.id, b.user_id, b.auth_time, b.amr, b.last_used_at, t.id, t.status
    into v_browser, v_user, v_auth_time, v_amr, v_used_at, v_tenant, v_tenant_status
    from browser_sessions b
    join users u on u.id = b.user_id and u.status in ('active', 'pending', 'pending_review')
    left join tenants t on t.id = case when v_slug is null then u.primary_tenant_id else (select named.id from tenants named where named.slug = v_slug) end
   where b.token_hash = decode(p->>'cookie_hash', 'hex') and b.ended_at is null and b.expires_at > v_now
     and b.last_used_at > v_now - (p->>'idle_seconds')::int * interval '1 second';
  if not found then
    return jsonb_build_object('outcome', 'sign_in_required');
  end if;
  if v_used_at < v_now - interval '1 minute' then
    update browser_sessions b set last_used_at = v_now where b.id = v_browser and b.last_used_at < v_now - interval '1 minute';
  end if;
  if v_user::text <> p->>'subject' or v_auth_time < (p->>'signed_in_since')::timestamptz then
    return jsonb_build_object('outcome', 'sign_in_required');
  end if;
  if not exists (select from memberships m where m.tenant_id = v_tenant and m.user_id = v_user and m.status <> 'removed') then
    return jsonb_build_object('outcome', 'not_a_member');
  end if;
  if v_tenant_status <> 'active' then
    return jsonb_build_object('outcome', 'tenant_inactive');
  end if;
  perform set_config('synchronous_commit', 'off', true);
  insert into authorization_codes (code_hash, tenant_id, user_id, client_id, browser_session_id, redirect_uri, code_challenge, scope,
    resource, claims, nonce, auth_time, amr, expires_at)
  values (decode(p->>'code_hash', 'hex'), v_tenant, v_user, (p->>'client_id')::uuid, v_browser, p->>'redirect_uri',
    p->>'code_challenge', p->>'scope', p->>'resource', nullif(p->'claims', 'null'), p->>'nonce', v_auth_time, v_amr,
    (p->>'expires_at')::timestamptz);
  return jsonb_build_object('outcome', 'recorded', 'tenant_id', v_tenant);
end $$;

-- Binds a session to the outlet its tokens will name; true unless there is no such session or it was revoked.
create function bind_outlet(p_tenant uuid, p_session uuid, p_outlet uuid) returns boolean
language plpgsql volatile security definer set search_path = public, pg_temp
as $$
begin
  update sessions set outlet_id = p_outlet where tenant_id = p_tenant and id = p_session and revoked_at is null;
  return nullif(found, false);
end $$;

create function record_one_time_token(p jsonb) returns void
language plpgsql volatile security definer set search_path = public, pg_temp
as $$
begin
  insert into one_time_tokens (token_hash, kind, tenant_id, user_id, session_id, expires_at, client_id, scope, audience, access_expires_at)
  values (decode(p->>'token_hash', 'hex'), p->>'kind', (p->>'tenant_id')::uuid, (p->>'user_id')::uuid, (p->>'session_id')::uuid,
    (p->>'expires_at')::timestamptz, p->>'client_id', p->>'scope', p->>'audience', (p->>'access_expires_at')::timestamptz);
end $$;

-- Finds a usable exchange token and locks it until the transaction ends. The limits are null for an exchange that began at /token.
create function lock_exchange_token(p_tenant uuid, p_token_hash bytea, p_now timestamptz)
returns table (session_id uuid, is_public boolean, client_id text, scope text, audience text, access_expires_at timestamptz)
language plpgsql volatile security definer set search_path = public, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    select o.session_id, c.public, o.client_id, o.scope, o.audience, o.access_expires_at
      from one_time_tokens o
      join sessions s on s.tenant_id = o.tenant_id and s.id = o.session_id and s.user_id = o.user_id
      join clients c on c.id = s.client_id
     where o.tenant_id = p_tenant and o.token_hash = p_token_hash and o.kind in ('sso_exchange', 'outlet_switch') and o.used_at is null and o.expires_at > p_now
       for update of o;
end $$;

-- Consumes a locked exchange token and binds its session to the outlet; true unless the session was revoked.
create function take_exchange_token(p_tenant uuid, p_token_hash bytea, p_outlet uuid, p_now timestamptz) returns boolean
language plpgsql volatile security definer set search_path = public, pg_temp
as $$
begin
  with spent as (
    update one_time_tokens set used_at = p_now
     where tenant_id = p_tenant and token_hash = p_token_hash and used_at is null returning session_id
  )
  update sessions s set outlet_id = p_outlet from spent
   where s.tenant_id = p_tenant and s.id = spent.session_id and s.revoked_at is null;
  return nullif(found, false);
end $$;

-- Counts a wrong outlet id against a locked exchange token; the last one allowed consumes it.
create function count_wrong_outlet(p_tenant uuid, p_token_hash bytea, p_max integer, p_now timestamptz) returns void
language plpgsql volatile security definer set search_path = public, pg_temp
as $$
begin
  update one_time_tokens
     set wrong_outlets = wrong_outlets + 1, used_at = case when wrong_outlets + 1 >= p_max then p_now end
   where tenant_id = p_tenant and token_hash = p_token_hash and used_at is null;
end $$;

do $$
declare
  one regprocedure;
begin
  for one in select p.oid::regprocedure from pg_proc p
              where p.pronamespace = 'public'::regnamespace
                and p.proname in ('membership_state_of', 'find_sign_in', 'list_memberships', 'resume_browser_session',
                  'find_session', 'revoke_session', 'rotate_refresh_token', 'issue_code', 'redeem_code',
                  'bind_outlet', 'record_one_time_token', 'lock_exchange_token', 'take_exchange_token', 'count_wrong_outlet', 'find_membership_state', 'purge_expired',
                  'is_live_refresh_token', 'live_session_outlet', 'tenant_of_session',
                  'purge_idle_sessions') loop
    execute format('alter function %s owner to lango_lookup', one);
    execute format('revoke all on function %s from public', one);
    execute format('grant execute on function %s to lango_app', one);
  end loop;
end $$;

-- Tenant administration: who may see its tables, and its functions -------------------------------------------------------

do $$
declare
  guarded text;
begin
  foreach guarded in array array['tenant_slugs', 'invitations', 'tenant_logos'] loop
    execute format('alter table %I enable row level security', guarded);
    execute format('alter table %I force row level security', guarded);
    execute format('create policy %I on %I using (tenant_id = nullif(current_setting(''app.tenant_id'', true), '''')::uuid)', guarded || '__tenant', guarded);
    execute format('create policy %I on %I to lango_lookup using (true)', guarded || '__lookup', guarded);
    execute format('create policy %I on %I for select to lango_platform using (true)', guarded || '__platform', guarded);
  end loop;
end $$;

grant select, insert, update, delete on invitations, one_time_links to lango_app, lango_lookup;
grant select, insert, delete on tenant_logos to lango_app;
grant select, insert, update, delete on api_keys to lango_app;
grant select, insert on tenant_slugs to lango_app;
grant select on tenant_slugs to lango_lookup;
grant update (ip) on audit_log to lango_lookup;
grant select on tenant_slugs, invitations to lango_platform;

-- Whose a slug is or was.
create function find_slug_owner(p_slug text) returns uuid
language plpgsql stable security definer set search_path = public, pg_temp
as $$
begin
  return (
    select tenant_id from tenant_slugs where slug = p_slug);
end $$;

-- The current state of an administrator, and the tenant that the address names: one look-up for every administration request.
create function find_administrator(p_tenant uuid, p_session uuid, p_slug text, p_now timestamptz)
returns table (user_id uuid, user_status text, home_id uuid, home_slug text, home_status text, roles text[], membership_status text,
  tenant_id uuid, tenant_slug text, tenant_status text)
language plpgsql stable security definer set search_path = public, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    select u.id, u.status, h.id, h.slug, h.status, m.roles, m.status, t.id, t.slug, t.status
      from sessions s
      join users u on u.id = s.user_id
      join tenants h on h.id = s.tenant_id
      left join memberships m on m.tenant_id = s.tenant_id and m.user_id = s.user_id and m.status <> 'removed'
      left join tenants t on t.slug = p_slug and t.status <> 'deleted'
     where s.tenant_id = p_tenant and s.id = p_session and s.revoked_at is null and s.expires_at > p_now;
end $$;

create function record_audit(p_tenant uuid, p jsonb) returns void
language plpgsql volatile security definer set search_path = public, pg_temp
as $$
begin
  insert into audit_log (tenant_id, at, action, actor_user_id, subject, before, after, ip, request_id)
  values (p_tenant, (p->>'at')::timestamptz, p->>'action', (p->>'actor_user_id')::uuid, p->>'subject',
    nullif(p->'before', 'null'), nullif(p->'after', 'null'), p->>'ip', p->>'request_id');
end $$;

-- An invitation that is good now, by the hash of what the invited person brings, and the tenant it leads to.
create function find_invitation(p_tenant uuid, p_token_hash bytea, p_now timestamptz)
returns table (id uuid, tenant_id uuid, tenant_slug text, email_folded text)
language plpgsql stable security definer set search_path = public, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    select i.id, i.tenant_id, t.slug, i.email_folded from invitations i join tenants t on t.id = i.tenant_id
     where i.tenant_id = p_tenant and i.token_hash = p_token_hash and i.accepted_at is null and i.withdrawn_at is null and i.expires_at > p_now;
end $$;

-- What the invited person reads of an invitation that is good now. Not whether they are registered: its creator has the value, too.
create function describe_invitation(p_tenant uuid, p_token_hash bytea, p_now timestamptz)
returns table (email text, tenant_slug text, tenant_name text, invited_by text, roles text[], expires_at timestamptz)
language plpgsql stable security definer set search_path = public, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    select i.email, t.slug, t.name, nullif(u.name, ''), i.roles, i.expires_at
      from invitations i join tenants t on t.id = i.tenant_id left join users u on u.id = i.created_by
     where i.tenant_id = p_tenant and i.token_hash = p_token_hash and i.accepted_at is null and i.withdrawn_at is null and i.expires_at > p_now;
end $$;

-- What a link or an invitation is made from, while it is good: the service that sends the mail asks by its id.
create function find_mail_link(p_id uuid, p_now timestamptz)
returns table (kind text, email text, key_id text, expires_at timestamptz, tenant_id uuid)
language plpgsql stable security definer set search_path = public, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    select l.kind, l.email, l.key_id, l.expires_at, null::uuid from one_time_links l where l.id = p_id and l.used_at is null and l.expires_at > p_now
    union all
    select 'invitation', i.email, i.key_id, i.expires_at, i.tenant_id from invitations i
     where i.id = p_id and i.accepted_at is null and i.withdrawn_at is null and i.expires_at > p_now;
end $$;

-- A person's own sessions that live, in every tenant, the latest first.
create function list_user_sessions(p_user uuid, p_current uuid, p_now timestamptz, p_before timestamptz, p_before_id uuid, p_limit integer)
returns table (id uuid, browser_session_id uuid, client_id text, client_name text, tenant_id uuid, tenant_slug text, created_at timestamptz,
  auth_time timestamptz, last_used_at timestamptz, expires_at timestamptz, device text, country text, city text, is_this_device boolean)
language plpgsql stable security definer set search_path = public, pg_temp
as $$
#variable_conflict use_column
declare
  v_browser uuid;
begin
  select s.browser_session_id into v_browser from sessions s where s.id = p_current;
  return query
    select s.id, s.browser_session_id, c.client_id, c.name, t.id, t.slug, s.created_at, s.auth_time,
      greatest(s.created_at, s.rotated_at, s.resumed_at), least(s.expires_at, s.idle_expires_at), b.device, b.country, b.city,
      s.id = p_current or coalesce(s.browser_session_id = v_browser, false)
      from sessions s join clients c on c.id = s.client_id join tenants t on t.id = s.tenant_id
      left join browser_sessions b on b.id = s.browser_session_id
     where s.user_id = p_user and s.revoked_at is null and s.expires_at > p_now and s.idle_expires_at > p_now
       and (p_before is null or (s.created_at, s.id) < (p_before, p_before_id))
     order by s.created_at desc, s.id desc limit p_limit;
end $$;

-- The tenants in which live sessions of a client are. On a cluster: call it before the transaction ends one of them.
create function list_tenants_of_client(p_client uuid, p_now timestamptz) returns setof uuid
language plpgsql stable security definer set search_path = public, pg_temp
as $$
begin
  return query
    select distinct s.tenant_id from sessions s where s.client_id = p_client and s.revoked_at is null and s.expires_at > p_now order by 1;
end $$;

-- Ends sessions of a person in a tenant, but the one excepted; so many at once, in the order of their ids. Answers which. Without a person:
-- sessions of a client.
create function end_sessions(p_tenant uuid, p_user uuid, p_client uuid, p_except uuid, p_now timestamptz, p_because text, p_limit integer)
returns table (session_id uuid, tenant_id uuid, user_id uuid)
language plpgsql volatile security definer set search_path = public, pg_temp
as $$
#variable_conflict use_column
declare
  v_chosen uuid[];
begin
  v_chosen := case when p_user is null
    then array(select s.id from sessions s
                where s.tenant_id = p_tenant and s.client_id = p_client and s.revoked_at is null and s.expires_at > p_now
                order by s.id limit p_limit for update)
    else array(select s.id from sessions s
                where s.tenant_id = p_tenant and s.user_id = p_user and s.revoked_at is null and s.expires_at > p_now
                  and s.id is distinct from p_except
                order by s.id limit p_limit for update) end;
  return query
    update sessions s set revoked_at = p_now, revoked_because = p_because where s.tenant_id = p_tenant and s.id = any (v_chosen)
    returning s.id, s.tenant_id, s.user_id;
end $$;

-- Whether a person has more live sessions than allowed, of browsers or of clients. Call it after the insert: in its transaction, where
-- the lock orders parallel inserts so that the last of them sees all others, or after its commit.
create function exceeds_session_limit(p_user uuid, p_now timestamptz, p_idle interval, p_max integer) returns boolean
language plpgsql volatile strict security definer set search_path = public, pg_temp
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('sessions of ' || p_user, 0));
  if (select count(*) from (select 1 from sessions s
       where s.user_id = p_user and s.revoked_at is null and s.expires_at > p_now and s.idle_expires_at > p_now limit p_max + 1) live) > p_max then
    return true;
  end if;
  return (select count(*) from (select 1 from browser_sessions b
       where b.user_id = p_user and b.ended_at is null and b.expires_at > p_now and b.last_used_at > p_now - p_idle limit p_max + 1) live) > p_max;
end $$;

-- Live sessions of these browser sessions, and those of a person beyond the limit, the least recently used; by tenant and id.
create function list_surplus_sessions(p_user uuid, p_browsers uuid[], p_now timestamptz, p_max integer)
returns table (tenant_id uuid, session_id uuid)
language plpgsql stable security definer set search_path = public, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    select x.tenant_id, x.id from (
      select s.tenant_id, s.id from sessions s
       where s.browser_session_id = any (p_browsers) and s.revoked_at is null and s.expires_at > p_now
      union all
      (select l.tenant_id, l.id from sessions l
        where l.user_id = p_user and l.revoked_at is null and l.expires_at > p_now and l.idle_expires_at > p_now
          and (l.browser_session_id = any (p_browsers)) is not true
        order by greatest(l.created_at, l.rotated_at, l.resumed_at) desc, l.id offset p_max)) x
     order by x.tenant_id, x.id;
end $$;

-- Ends the least recently used sessions of a person beyond the limit: browser sessions with their client sessions, and client
-- sessions. Returns the client sessions that ended. As the caller, and each by a function that runs on the node of its tenant: on a cluster
-- the same transaction can then write more rows of that tenant. They are listed before the first one ends: not afterwards, on a cluster.
create function end_surplus_sessions(p_user uuid, p_now timestamptz, p_idle interval, p_max integer, p_because text)
returns table (session_id uuid, tenant_id uuid, user_id uuid)
language plpgsql volatile set search_path = public, pg_temp
as $$
#variable_conflict use_column
declare
  v_browsers uuid[];
  v_one record;
begin
  perform from users u where u.id = p_user for no key update;
  v_browsers := array(
    select b.id from browser_sessions b
     where b.user_id = p_user and b.ended_at is null and b.expires_at > p_now and b.last_used_at > p_now - p_idle
     order by b.last_used_at desc, b.auth_time desc, b.id offset p_max);
  update browser_sessions b set ended_at = p_now where b.id = any (v_browsers);
  for v_one in select * from list_surplus_sessions(p_user, v_browsers, p_now, p_max) loop
    return query select * from revoke_session(v_one.tenant_id, v_one.session_id, p_now, p_because);
  end loop;
end $$;

-- The browser session that a client session hangs on.
create function browser_of_session(p_session uuid) returns uuid
language plpgsql stable security definer set search_path = public, pg_temp
as $$
begin
  return (select s.browser_session_id from sessions s where s.id = p_session);
end $$;

-- Live client sessions that hang on a browser session, by tenant and id.
create function list_live_sessions_of_browser(p_browser uuid, p_now timestamptz) returns table (tenant_id uuid, session_id uuid)
language plpgsql stable security definer set search_path = public, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    select s.tenant_id, s.id from sessions s
     where s.browser_session_id = p_browser and s.revoked_at is null and s.expires_at > p_now order by s.tenant_id, s.id;
end $$;

-- Ends the browser session behind a cookie, or the one a client session hangs on, and every client session that hangs on
-- it; answers those that lived until now. The sessions are listed after the browser's is locked, so that the session of a code that was
-- being used meanwhile is among them. As the caller, like `end_surplus_sessions`.
create function end_browser_session(p_token_hash bytea, p_session uuid, p_now timestamptz, p_because text)
returns table (session_id uuid, tenant_id uuid, user_id uuid)
language plpgsql volatile set search_path = public, pg_temp
as $$
#variable_conflict use_column
declare
  v_browser uuid;
  v_of_session uuid := browser_of_session(p_session);
  v_one record;
begin
  select b.id into v_browser from browser_sessions b where b.token_hash = p_token_hash or b.id = v_of_session for update;
  update browser_sessions b set ended_at = p_now where b.id = v_browser and b.ended_at is null;
  for v_one in select * from list_live_sessions_of_browser(v_browser, p_now) loop
    return query select * from revoke_session(v_one.tenant_id, v_one.session_id, p_now, p_because);
  end loop;
end $$;

-- The tenants in which live sessions of a person are.
create function list_tenants_of_sessions(p_user uuid, p_now timestamptz) returns setof uuid
language plpgsql stable security definer set search_path = public, pg_temp
as $$
begin
  return query
    select distinct s.tenant_id from sessions s where s.user_id = p_user and s.revoked_at is null and s.expires_at > p_now order by 1;
end $$;

-- Ends the browser sessions of a person, but the one the excepted client session hangs on; answers the tenants in which live sessions of
-- the person are, to end them next. As the caller: on a cluster the look-up role would wait for what the same transaction has locked.
create function end_user_browsers(p_user uuid, p_except uuid, p_now timestamptz) returns setof uuid
language plpgsql volatile set search_path = public, pg_temp
as $$
declare
  v_except uuid := browser_of_session(p_except);
begin
  update browser_sessions b set ended_at = p_now
   where b.user_id = p_user and b.ended_at is null and b.id is distinct from v_except;
  return query select * from list_tenants_of_sessions(p_user, p_now);
end $$;

-- The state of a person in each of their tenants: what the event of a change says. Without the slugs: on a cluster the look-up role may
-- read no table that every node has once the service has written one.
create function states_of_user(p_user uuid)
returns table (tenant_id uuid, roles text[], membership_status text, is_hq boolean, outlet_ids uuid[])
language plpgsql stable security definer set search_path = public, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    select m.tenant_id, m.roles, m.status, is_hq_user(m.roles, m.is_hq),
      array(select o.outlet_id from membership_outlets o where o.tenant_id = m.tenant_id and o.user_id = m.user_id order by 1)
      from memberships m
     where m.user_id = p_user and m.status <> 'removed'
     order by m.tenant_id limit 500;
end $$;

-- Counts a change of a person and answers how they stand, in one tenant or in each of theirs: what the event of it says. As the caller,
-- and for one tenant inside it: on a cluster the look-up role may not read what the same transaction has written there.
create function bump_user(p_user uuid, p_tenant uuid)
returns table (user_id uuid, email text, email_verified boolean, name text, locale text, user_status text, version integer, tenant_id uuid,
  tenant_slug text, roles text[], membership_status text, is_hq boolean, outlet_ids uuid[])
language plpgsql volatile set search_path = public, pg_temp
as $$
#variable_conflict use_column
begin
  update users u set version = u.version + 1 where u.id = p_user
  returning u.id, u.email, u.email_verified, u.name, u.locale, u.status, u.version
       into user_id, email, email_verified, name, locale, user_status, version;
  if not found then
    return;
  end if;
  if p_tenant is null then
    for tenant_id, roles, membership_status, is_hq, outlet_ids in select * from states_of_user(p_user) loop
      select t.slug into tenant_slug from tenants t where t.id = bump_user.tenant_id;
      return next;
    end loop;
    return;
  end if;
  select m.tenant_id, t.slug, m.roles, m.status, is_hq_user(m.roles, m.is_hq),
      array(select o.outlet_id from membership_outlets o where o.tenant_id = p_tenant and o.user_id = p_user order by 1)
    into tenant_id, tenant_slug, roles, membership_status, is_hq, outlet_ids
    from memberships m join tenants t on t.id = m.tenant_id
   where m.tenant_id = p_tenant and m.user_id = p_user;
  if found then
    return next;
  end if;
end $$;

-- The tenants that a person belongs to besides one, in the order they joined.
create function tenants_besides(p_user uuid, p_left uuid) returns uuid[]
language plpgsql stable security definer set search_path = public, pg_temp
as $$
begin
  return array(
    select m.tenant_id from memberships m
     where m.user_id = p_user and m.tenant_id <> p_left and m.status <> 'removed' order by m.created_at, m.tenant_id);
end $$;

-- Gives a person who leaves their primary tenant another of theirs, or none. Call it before the membership is removed: on a cluster the
-- look-up role may not read it afterwards.
create function repoint_primary_tenant(p_user uuid, p_left uuid) returns void
language plpgsql volatile set search_path = public, pg_temp
as $$
declare
  v_home uuid;
  v_next uuid;
  v_others uuid[];
begin
  select u.primary_tenant_id into v_home from users u where u.id = p_user for no key update;
  v_others := tenants_besides(p_user, p_left);
  if v_home = any (v_others) then
    return;
  end if;
  select t.id into v_next from tenants t
   where t.id = any (v_others) and t.status <> 'deleted' order by array_position(v_others, t.id) limit 1;
  update users u set primary_tenant_id = v_next where u.id = p_user and u.primary_tenant_id is distinct from v_next;
end $$;

-- Tenants that were erased and of which rows are left, so many at once.
create function list_half_erased(p_limit integer) returns setof uuid
language plpgsql stable security definer set search_path = public, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    select x.tenant_id from (
      select m.tenant_id from memberships m join tenants t on t.id = m.tenant_id where t.status = 'deleted'
      union
      select o.tenant_id from outlets o join tenants t on t.id = o.tenant_id where t.status = 'deleted') x limit p_limit;
end $$;

-- The tenants that have something of a person, or an invitation of their address. On a cluster: call it before the transaction writes there.
create function list_tenants_of_user(p_user uuid, p_email_folded text) returns setof uuid
language plpgsql stable security definer set search_path = public, pg_temp
as $$
begin
  return query
    select i.tenant_id from invitations i where i.email_folded = p_email_folded
    union select c.tenant_id from authorization_codes c where c.user_id = p_user
    union select o.tenant_id from one_time_tokens o where o.user_id = p_user
    union select s.tenant_id from sessions s where s.user_id = p_user
    union select m.tenant_id from memberships m where m.user_id = p_user
    union select a.tenant_id from audit_log a where a.actor_user_id = p_user
    order by 1;
end $$;

-- Removes what is personal of a person from a tenant.
create function erase_user_in(p_tenant uuid, p_user uuid, p_email_folded text) returns void
language plpgsql volatile security definer set search_path = public, pg_temp
as $$
begin
  delete from invitations i where i.tenant_id = p_tenant and i.email_folded = p_email_folded;
  delete from authorization_codes c where c.tenant_id = p_tenant and c.user_id = p_user;
  delete from one_time_tokens o where o.tenant_id = p_tenant and o.user_id = p_user;
  delete from sessions s where s.tenant_id = p_tenant and s.user_id = p_user;
  delete from memberships m where m.tenant_id = p_tenant and m.user_id = p_user;
  update audit_log a set ip = null where a.tenant_id = p_tenant and a.actor_user_id = p_user;
end $$;

-- Removes what is personal of a person from these tenants, which `list_tenants_of_user` listed, and what belongs to no tenant; their row
-- stays, empty, so that the id is never anybody else's. As the caller, like `end_surplus_sessions`.
create function erase_user(p_user uuid, p_tenants uuid[]) returns void
language plpgsql volatile set search_path = public, pg_temp
as $$
declare
  v_email_folded text;
  v_tenant uuid;
begin
  select u.email_folded into v_email_folded from users u where u.id = p_user;
  foreach v_tenant in array p_tenants loop
    perform from erase_user_in(v_tenant, p_user, v_email_folded);
  end loop;
  delete from browser_sessions where user_id = p_user;
  delete from credentials where user_id = p_user;
  delete from one_time_links where user_id = p_user;
  delete from last_devices where user_id = p_user;
  update users set email = '', email_folded = 'erased:' || id, email_verified = false, name = '', status = 'deleted',
    primary_tenant_id = null, selected_plan = null, locale = null, theme = null where id = p_user;
end $$;

do $$
declare
  one regprocedure;
begin
  for one in select p.oid::regprocedure from pg_proc p
              where p.pronamespace = 'public'::regnamespace
                and p.proname in ('find_slug_owner', 'find_administrator', 'record_audit', 'find_invitation', 'describe_invitation', 'find_mail_link', 'list_user_sessions',
                  'list_half_erased', 'list_tenants_of_sessions', 'list_tenants_of_client', 'end_sessions', 'list_live_sessions_of_browser',
                  'list_surplus_sessions', 'exceeds_session_limit', 'browser_of_session', 'states_of_user', 'tenants_besides',
                  'list_tenants_of_user', 'erase_user_in') loop
    execute format('alter function %s owner to lango_lookup', one);
    execute format('revoke all on function %s from public', one);
    execute format('grant execute on function %s to lango_app', one);
  end loop;
end $$;
do $$
declare
  one regprocedure;
begin
  for one in select p.oid::regprocedure from pg_proc p
              where p.pronamespace = 'public'::regnamespace
                and p.proname in ('end_user_browsers', 'end_surplus_sessions', 'end_browser_session',
                  'erase_user', 'bump_user', 'repoint_primary_tenant') loop
    execute format('revoke all on function %s from public', one);
    execute format('grant execute on function %s to lango_app', one);
  end loop;
end $$;
