-- breaking: no

alter table tenants
  add column join_policy text not null default 'approval',
  add column version integer not null default 1,
  add constraint tenants__join_policy_known check (join_policy in ('open', 'approval', 'invite'));
comment on column tenants.join_policy is 'Who decides that a person who asks to join belongs: nobody (open), an administrator (approval), or only by invitation (invite).';
comment on column tenants.version is 'Grows with every change and travels with its event.';

alter table outlets add column version integer not null default 1;
comment on column outlets.version is 'Grows with every change and travels with its event.';

alter table users add column version integer not null default 1;
comment on column users.version is 'Grows with every change of the person or of what they may do anywhere, and travels with its event.';

alter table audit_log add column position bigint not null generated always as identity;
create index audit_log__position on audit_log (tenant_id, position desc);
create index audit_log__actor on audit_log (actor_user_id);
comment on column audit_log.position is 'The order of the rows, for pages. Rows hold ids and settings, never a name or an address of a person.';

create index sessions__tenant_id on sessions (tenant_id) where revoked_at is null;
create index memberships__page on memberships (tenant_id, created_at, user_id);
create index tenants__page on tenants (created_at, id);
create index tenants__deleted on tenants (id) where status = 'deleted';
create index users__page on users (created_at, id);

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
  constraint invitations__pkey primary key (id),
  constraint invitations__tenant_id_fkey foreign key (tenant_id) references tenants (id),
  constraint invitations__token_unique unique (token_hash),
  constraint invitations__roles_known check (roles <@ array['superuser', 'admin', 'manager', 'cashier', 'waiter', 'kitchen', 'bar',
    'receptionist', 'staff', 'member', 'rider', 'viewer'])
);
create index invitations__tenant_id on invitations (tenant_id, created_at desc, id desc);
create index invitations__email on invitations (email_folded);
comment on table invitations is 'An address invited into a tenant: good once, for that tenant and that address, until it expires or is withdrawn.';
comment on column invitations.token_hash is 'SHA-256 of what the invited person brings. The value follows from the id and the server''s key named in key_id.';

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
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  constraint api_keys__pkey primary key (id),
  constraint api_keys__hash_length check (octet_length(secret_hash) = 32),
  constraint api_keys__source_known check (source in ('setting'))
);
comment on table api_keys is 'Keys that are good for all tenants, by which the other services ask.';
comment on column api_keys.source is 'setting: it came from AUTH_API_KEY.';
comment on column api_keys.expires_at is 'Refused from then on; null: good until replaced.';

insert into tenant_slugs (slug, tenant_id) select slug, id from tenants;

do $$
declare
  guarded text;
begin
  foreach guarded in array array['tenant_slugs', 'invitations'] loop
    execute format('alter table %I enable row level security', guarded);
    execute format('alter table %I force row level security', guarded);
    execute format('create policy %I on %I using (tenant_id = nullif(current_setting(''app.tenant_id'', true), '''')::uuid)', guarded || '__tenant', guarded);
    execute format('create policy %I on %I to lango_lookup using (true)', guarded || '__lookup', guarded);
    execute format('create policy %I on %I for select to lango_platform using (true)', guarded || '__platform', guarded);
  end loop;
end $$;

grant select, insert, update, delete on invitations, one_time_links to lango_app, lango_lookup;
grant select, insert, update, delete on api_keys to lango_app;
grant select on tenant_slugs to lango_app;
grant select, insert on tenant_slugs to lango_lookup;
grant update (ip) on audit_log to lango_lookup;
grant select on tenant_slugs, invitations to lango_platform;

-- Keeps each slug for the tenant that had it first, whoever writes the tenant.
create function keep_slug() returns trigger
language plpgsql security definer set search_path = public, pg_temp
as $$
begin
  insert into tenant_slugs (slug, tenant_id) values (new.slug, new.id) on conflict (slug) do nothing;
  if not exists (select from tenant_slugs where slug = new.slug and tenant_id = new.id) then
    raise unique_violation using message = 'the slug was another tenant''s', constraint = 'tenant_slugs__pkey';
  end if;
  return new;
end $$;
create trigger tenants__keep_slug after insert or update of slug on tenants for each row execute function keep_slug();

-- Whose a slug is or was.
create function find_slug_owner(p_slug text) returns uuid
language sql stable security definer set search_path = public, pg_temp
begin atomic
  select tenant_id from tenant_slugs where slug = p_slug;
end;

-- Who administers, as things stand now, and the tenant the address names: one look for every administration request.
create function find_administrator(p_session uuid, p_slug text, p_now timestamptz)
returns table (user_id uuid, user_status text, home_id uuid, home_slug text, home_status text, roles text[], membership_status text,
  tenant_id uuid, tenant_slug text, tenant_status text)
language sql stable security definer set search_path = public, pg_temp
begin atomic
  select u.id, u.status, h.id, h.slug, h.status, m.roles, m.status, t.id, t.slug, t.status
    from sessions s
    join users u on u.id = s.user_id
    join tenants h on h.id = s.tenant_id
    left join memberships m on m.tenant_id = s.tenant_id and m.user_id = s.user_id and m.status <> 'removed'
    left join tenants t on t.slug = p_slug and t.status <> 'deleted'
   where s.id = p_session and s.revoked_at is null and s.expires_at > p_now;
end;

create function record_audit(p jsonb) returns void
language sql volatile security definer set search_path = public, pg_temp
begin atomic
  insert into audit_log (tenant_id, at, action, actor_user_id, subject, before, after, ip, request_id)
  values ((p->>'tenant_id')::uuid, (p->>'at')::timestamptz, p->>'action', (p->>'actor_user_id')::uuid, p->>'subject',
    nullif(p->'before', 'null'), nullif(p->'after', 'null'), p->>'ip', p->>'request_id');
end;

-- An invitation that is good now, by the hash of what the invited person brings, and the tenant it leads to.
create function find_invitation(p_token_hash bytea, p_now timestamptz)
returns table (id uuid, tenant_id uuid, tenant_slug text, email_folded text)
language sql stable security definer set search_path = public, pg_temp
begin atomic
  select i.id, i.tenant_id, t.slug, i.email_folded from invitations i join tenants t on t.id = i.tenant_id
   where i.token_hash = p_token_hash and i.accepted_at is null and i.withdrawn_at is null and i.expires_at > p_now;
end;

-- What a link or an invitation is made from, while it is good: whoever sends the mail asks by its id.
create function find_mail_link(p_id uuid, p_now timestamptz)
returns table (kind text, email text, key_id text, expires_at timestamptz)
language sql stable security definer set search_path = public, pg_temp
begin atomic
  select l.kind, l.email, l.key_id, l.expires_at from one_time_links l where l.id = p_id and l.used_at is null and l.expires_at > p_now
  union all
  select 'invitation', i.email, i.key_id, i.expires_at from invitations i
   where i.id = p_id and i.accepted_at is null and i.withdrawn_at is null and i.expires_at > p_now;
end;

-- A person's own sessions that live, in every tenant, the latest first.
create function list_user_sessions(p_user uuid, p_now timestamptz, p_before timestamptz, p_before_id uuid, p_limit integer)
returns table (id uuid, browser_session_id uuid, client_id text, client_name text, tenant_id uuid, tenant_slug text, created_at timestamptz,
  auth_time timestamptz, last_used_at timestamptz, expires_at timestamptz)
language sql stable security definer set search_path = public, pg_temp
begin atomic
  select s.id, s.browser_session_id, c.client_id, c.name, t.id, t.slug, s.created_at, s.auth_time, coalesce(s.rotated_at, s.created_at),
    least(s.expires_at, s.idle_expires_at)
    from sessions s join clients c on c.id = s.client_id join tenants t on t.id = s.tenant_id
   where s.user_id = p_user and s.revoked_at is null and s.expires_at > p_now and s.idle_expires_at > p_now
     and (p_before is null or (s.created_at, s.id) < (p_before, p_before_id))
   order by s.created_at desc, s.id desc limit p_limit;
end;

-- Ends sessions of a person, in one tenant or in all, but the one excepted; so many at once. Answers which.
create function end_user_sessions(p_user uuid, p_tenant uuid, p_except uuid, p_now timestamptz, p_because text, p_limit integer)
returns table (session_id uuid, tenant_id uuid, user_id uuid)
language sql volatile security definer set search_path = public, pg_temp
begin atomic
  with chosen as (
    select s.id from sessions s
     where s.user_id = p_user and s.revoked_at is null and s.expires_at > p_now and (p_tenant is null or s.tenant_id = p_tenant)
       and s.id is distinct from p_except
     order by s.id limit p_limit for update
  )
  update sessions s set revoked_at = p_now, revoked_because = p_because from chosen where s.id = chosen.id
  returning s.id, s.tenant_id, s.user_id;
end;

-- Ends sessions of a client, so many at once. Answers which.
create function end_client_sessions(p_client_id text, p_now timestamptz, p_because text, p_limit integer)
returns table (session_id uuid, tenant_id uuid, user_id uuid)
language sql volatile security definer set search_path = public, pg_temp
begin atomic
  with chosen as (
    select s.id from sessions s join clients c on c.id = s.client_id
     where c.client_id = p_client_id and s.revoked_at is null and s.expires_at > p_now
     order by s.id limit p_limit for update of s
  )
  update sessions s set revoked_at = p_now, revoked_because = p_because from chosen where s.id = chosen.id
  returning s.id, s.tenant_id, s.user_id;
end;

-- Ends the browser sessions of a person, but the one the excepted client session hangs on.
create function end_user_browsers(p_user uuid, p_except uuid, p_now timestamptz) returns void
language sql volatile security definer set search_path = public, pg_temp
begin atomic
  update browser_sessions b set ended_at = p_now
   where b.user_id = p_user and b.ended_at is null
     and b.id is distinct from (select s.browser_session_id from sessions s where s.id = p_except);
end;

-- Counts a change of a person and answers how they stand, in one tenant or in each of theirs: what the event of it says.
create function bump_user(p_user uuid, p_tenant uuid)
returns table (user_id uuid, email text, email_verified boolean, name text, user_status text, version integer, tenant_id uuid,
  tenant_slug text, roles text[], membership_status text, is_hq boolean, outlet_ids uuid[])
language sql volatile security definer set search_path = public, pg_temp
begin atomic
  with bumped as (
    update users u set version = u.version + 1 where u.id = p_user
    returning u.id, u.email, u.email_verified, u.name, u.status, u.version
  )
  select b.id, b.email, b.email_verified, b.name, b.status, b.version, m.tenant_id, t.slug, m.roles, m.status, m.is_hq,
    array(select o.outlet_id from membership_outlets o where o.tenant_id = m.tenant_id and o.user_id = m.user_id order by 1)
    from bumped b join memberships m on m.user_id = b.id join tenants t on t.id = m.tenant_id
   where case when p_tenant is null then m.status <> 'removed' else m.tenant_id = p_tenant end
   order by m.tenant_id limit 500;
end;

-- Gives a person whose primary tenant is none of theirs any more another of theirs, or none.
create function repoint_primary_tenant(p_user uuid) returns void
language sql volatile security definer set search_path = public, pg_temp
begin atomic
  update users u set primary_tenant_id = (
      select m.tenant_id from memberships m join tenants t on t.id = m.tenant_id
       where m.user_id = p_user and m.status <> 'removed' and t.status <> 'deleted' order by m.created_at, m.tenant_id limit 1)
   where u.id = p_user and not exists (
      select from memberships m where m.tenant_id = u.primary_tenant_id and m.user_id = u.id and m.status <> 'removed');
end;

-- Tenants that were erased and of which rows are left, so many at once.
create function list_half_erased(p_limit integer) returns setof uuid
language sql stable security definer set search_path = public, pg_temp
begin atomic
  select t.id from tenants t
   where t.status = 'deleted'
     and (exists (select from memberships m where m.tenant_id = t.id) or exists (select from outlets o where o.tenant_id = t.id))
   limit p_limit;
end;

-- Removes what is personal of a person from every tenant; their row stays, empty, so that the id is never anybody else's.
create function erase_user(p_user uuid) returns void
language sql volatile security definer set search_path = public, pg_temp
begin atomic
  delete from invitations where email_folded = (select email_folded from users where id = p_user);
  delete from authorization_codes where user_id = p_user;
  delete from one_time_tokens where user_id = p_user;
  delete from sessions where user_id = p_user;
  delete from browser_sessions where user_id = p_user;
  delete from memberships where user_id = p_user;
  delete from credentials where user_id = p_user;
  delete from one_time_links where user_id = p_user;
  update audit_log set ip = null where actor_user_id = p_user;
  update users set email = '', email_folded = 'erased:' || id, email_verified = false, name = '', status = 'deleted',
    primary_tenant_id = null, selected_plan = null where id = p_user;
end;

do $$
declare
  one regprocedure;
begin
  for one in select p.oid::regprocedure from pg_proc p
              where p.pronamespace = 'public'::regnamespace
                and p.proname in ('keep_slug', 'find_slug_owner', 'find_administrator', 'record_audit', 'find_invitation', 'find_mail_link', 'list_user_sessions',
                  'list_half_erased', 'end_user_sessions', 'end_client_sessions', 'end_user_browsers', 'bump_user', 'repoint_primary_tenant', 'erase_user') loop
    execute format('alter function %s owner to lango_lookup', one);
    execute format('revoke all on function %s from public', one);
    execute format('grant execute on function %s to lango_app', one);
  end loop;
end $$;
