-- breaking: no

-- An exchange that began with an access token (outlet_switch) has that token's limits; one that began at /token (sso_exchange) has none.
-- The release before knows the second kind only, so it never trades the first for a refresh token.
alter table one_time_tokens
  add column client_id text,
  add column scope text,
  add column audience text,
  add column access_expires_at timestamptz,
  add column wrong_outlets integer not null default 0,
  drop constraint one_time_tokens__kind_known,
  add constraint one_time_tokens__kind_known check (kind in ('sso_exchange', 'outlet_switch')),
  add constraint one_time_tokens__switch_limits check (kind <> 'outlet_switch'
    or (client_id is not null and scope is not null and audience is not null and access_expires_at is not null));
comment on column one_time_tokens.client_id is 'With scope, audience and access_expires_at: the limits of the access token that an outlet_switch began with, which its answer keeps.';
comment on column one_time_tokens.wrong_outlets is 'How many outlet ids were refused; the fifth consumes the token.';

create or replace function record_one_time_token(p jsonb) returns void
language sql volatile security definer set search_path = public, pg_temp
begin atomic
  insert into one_time_tokens (token_hash, kind, tenant_id, user_id, session_id, expires_at, client_id, scope, audience, access_expires_at)
  select decode(p->>'token_hash', 'hex'), p->>'kind', (p->>'tenant_id')::uuid, (p->>'user_id')::uuid, (p->>'session_id')::uuid,
    (p->>'expires_at')::timestamptz, p->>'client_id', p->>'scope', p->>'audience', (p->>'access_expires_at')::timestamptz;
end;

-- Finds a usable exchange token and locks it until the transaction ends. The limits are null for an exchange that began at /token.
create function lock_exchange_token(p_token_hash bytea, p_now timestamptz)
returns table (session_id uuid, is_public boolean, client_id text, scope text, audience text, access_expires_at timestamptz)
language sql volatile security definer set search_path = public, pg_temp
begin atomic
  select o.session_id, c.public, o.client_id, o.scope, o.audience, o.access_expires_at
    from one_time_tokens o
    join sessions s on s.id = o.session_id and s.tenant_id = o.tenant_id and s.user_id = o.user_id
    join clients c on c.id = s.client_id
   where o.token_hash = p_token_hash and o.kind in ('sso_exchange', 'outlet_switch') and o.used_at is null and o.expires_at > p_now
     for update of o;
end;

-- Consumes a locked exchange token and binds its session to the outlet; true unless the session was revoked.
create function take_exchange_token(p_token_hash bytea, p_outlet uuid, p_now timestamptz) returns boolean
language sql volatile security definer set search_path = public, pg_temp
begin atomic
  with spent as (
    update one_time_tokens set used_at = p_now where token_hash = p_token_hash and used_at is null returning session_id
  )
  update sessions s set outlet_id = p_outlet from spent where s.id = spent.session_id and s.revoked_at is null returning true;
end;

-- Counts a wrong outlet id against a locked exchange token; the last one allowed consumes it.
create function count_wrong_outlet(p_token_hash bytea, p_max integer, p_now timestamptz) returns void
language sql volatile security definer set search_path = public, pg_temp
begin atomic
  update one_time_tokens
     set wrong_outlets = wrong_outlets + 1, used_at = case when wrong_outlets + 1 >= p_max then p_now end
   where token_hash = p_token_hash and used_at is null;
end;

comment on function take_one_time_token(bytea, text, timestamptz) is 'Of the release before, which may still be running; goes with the next one.';

do $$
declare
  one regprocedure;
begin
  for one in select p.oid::regprocedure from pg_proc p
              where p.pronamespace = 'public'::regnamespace
                and p.proname in ('lock_exchange_token', 'take_exchange_token', 'count_wrong_outlet') loop
    execute format('alter function %s owner to lango_lookup', one);
    execute format('revoke all on function %s from public', one);
    execute format('grant execute on function %s to lango_app', one);
  end loop;
end $$;
