-- breaking: no
-- The point of sale: the keys it signs with, its tills, the PINs of its people, and who signed in where.

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
comment on table signing_keys is 'Keys that sign the tokens of tills, encrypted under the key-encryption key named beside them. pending → active → retired → removed.';
comment on column signing_keys.changed_at is 'When it came to its status: a pending key signs only after it was published long enough, a retired one stays published as long as its tokens live.';

create table terminals (
  id uuid not null default gen_random_uuid(),
  tenant_id uuid not null constraint terminals__tenant_fkey references tenants (id) on update cascade,
  outlet_id uuid not null,
  name text not null,
  token_hash bytea not null,
  created_by text not null,
  created_at timestamptz not null,
  revoked_at timestamptz,
  constraint terminals__pkey primary key (tenant_id, id),
  constraint terminals__outlet_fkey foreign key (tenant_id, outlet_id) references outlets (tenant_id, id) on update cascade deferrable
);
create index terminals__token on terminals (token_hash);
create index terminals__outlet on terminals (outlet_id);
comment on table terminals is 'Tills: the devices people sign in at by PIN, each at one outlet.';
comment on column terminals.token_hash is 'SHA-256 of the token that makes a device this till; the token is shown once and kept nowhere.';
comment on index terminals__token is 'A till sends its token before its tenant is known. Not unique, as a rule over all tenants would be; tokens are random.';
comment on column terminals.revoked_at is 'From then on neither the device nor anybody signed in at it is let in.';

create table pins (
  user_id uuid not null,
  tenant_id uuid not null,
  id uuid not null default gen_random_uuid(),
  outlet_id uuid,
  pin_hash text not null,
  set_by text not null,
  set_at timestamptz not null,
  constraint pins__user_fkey
    foreign key (tenant_id, user_id) references users (tenant_id, id) on update cascade on delete cascade deferrable,
  constraint pins__pkey primary key (tenant_id, user_id),
  constraint pins__outlet_fkey foreign key (tenant_id, outlet_id) references outlets (tenant_id, id) on update cascade deferrable
);
create index pins__outlet on pins (outlet_id);
comment on table pins is 'By what a person signs in at a till: one PIN in a tenant, 4 to 8 digits; two people may have the same.';
comment on column pins.id is 'Another one whenever the PIN is set: what was signed in with the one before has ended.';
comment on column pins.outlet_id is 'Null: good at every till of the tenant; else at those of this outlet.';
comment on column pins.pin_hash is 'argon2id, in PHC form.';

create table terminal_sessions (
  id uuid not null,
  tenant_id uuid not null constraint terminal_sessions__tenant_fkey references tenants (id) on update cascade,
  terminal_id uuid not null,
  user_id uuid not null,
  pin_id uuid not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  constraint terminal_sessions__user_fkey
    foreign key (tenant_id, user_id) references users (tenant_id, id) on update cascade on delete cascade deferrable,
  constraint terminal_sessions__pkey primary key (tenant_id, id),
  constraint terminal_sessions__terminal_fkey
    foreign key (tenant_id, terminal_id) references terminals (tenant_id, id) on update cascade on delete cascade deferrable
);
create index terminal_sessions__terminal on terminal_sessions (terminal_id);
create index terminal_sessions__user on terminal_sessions (tenant_id, user_id);
create index terminal_sessions__expiry on terminal_sessions (expires_at);
comment on table terminal_sessions is 'Sign-ins at tills: each token a till was given. It is valid while its till and its PIN are.';

create table pin_attempts (
  terminal_id uuid not null,
  user_id uuid not null,
  tenant_id uuid not null,
  failures integer not null,
  round integer not null,
  locked_until timestamptz,
  last_at timestamptz not null,
  constraint pin_attempts__pkey primary key (tenant_id, terminal_id, user_id),
  constraint pin_attempts__user_fkey
    foreign key (tenant_id, user_id) references users (tenant_id, id) on update cascade on delete cascade deferrable,
  constraint pin_attempts__terminal_fkey
    foreign key (tenant_id, terminal_id) references terminals (tenant_id, id) on update cascade on delete cascade deferrable
);
create index pin_attempts__user on pin_attempts (tenant_id, user_id);
create index pin_attempts__last on pin_attempts (last_at);
comment on table pin_attempts is 'Wrong PINs of a person at a till, one after the other; a right one ends the count.';
comment on column pin_attempts.failures is 'Attempts counted since the last right one; each is counted before it is tried, so that of many at once no more are tried than may fail.';
comment on column pin_attempts.round is 'Grows whenever the count begins again: an attempt of an earlier count no longer changes it.';

create table pin_failures (
  user_id uuid not null,
  tenant_id uuid not null,
  failed_at timestamptz[] not null,
  round integer not null,
  locked_until timestamptz,
  last_at timestamptz not null,
  recorded_until timestamptz,
  constraint pin_failures__user_fkey
    foreign key (tenant_id, user_id) references users (tenant_id, id) on update cascade on delete cascade deferrable,
  constraint pin_failures__pkey primary key (tenant_id, user_id)
);
create index pin_failures__last on pin_failures (last_at);
comment on table pin_failures is 'Wrong PINs of a person at all terminals of the tenant within one hour. 20 lock the person for an hour or until a new PIN is set.';
comment on column pin_failures.failed_at is 'When each failure was counted, at most 20. A failure is counted before the PIN is checked and taken back if the PIN was right.';
comment on column pin_failures.round is 'Increases when a new PIN is set: an attempt that was counted before cannot change the count after.';
comment on column pin_failures.recorded_until is 'The end of the last lock whose audit row and event were recorded: until then no other lock is recorded.';

-- Every table with a tenant shows the rows of the current tenant and no other's.
alter table terminals enable row level security;
alter table terminals force row level security;
create policy terminals__tenant on terminals using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy terminals__platform on terminals for select to lango_platform using (true);
create policy terminals__lookup on terminals for select to lango_lookup using (true);

alter table pins enable row level security;
alter table pins force row level security;
create policy pins__tenant on pins using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy pins__platform on pins for select to lango_platform using (true);
create policy pins__lookup on pins to lango_lookup using (true);

alter table terminal_sessions enable row level security;
alter table terminal_sessions force row level security;
create policy terminal_sessions__tenant on terminal_sessions
  using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy terminal_sessions__purge on terminal_sessions to lango_lookup using (true);

alter table pin_attempts enable row level security;
alter table pin_attempts force row level security;
create policy pin_attempts__tenant on pin_attempts using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy pin_attempts__purge on pin_attempts to lango_lookup using (true);

alter table pin_failures enable row level security;
alter table pin_failures force row level security;
create policy pin_failures__tenant on pin_failures using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy pin_failures__purge on pin_failures to lango_lookup using (true);

grant select, insert, update on signing_keys to lango_app;
grant select, insert, update on terminals to lango_app;
grant select, insert, update, delete on pins to lango_app;
grant select, insert on terminal_sessions to lango_app;
grant select, insert, update, delete on pin_attempts, pin_failures to lango_app;
grant select (id, tenant_id, outlet_id, name, created_at, revoked_at) on terminals to lango_platform;
grant select (user_id, tenant_id, outlet_id, set_at) on pins to lango_platform;
grant select (id, tenant_id, outlet_id, token_hash, revoked_at) on terminals to lango_lookup;
grant select, delete on pins, terminal_sessions, pin_attempts, pin_failures to lango_lookup;

-- Of these failures those after a time.
create function failures_after(p_failed_at timestamptz[], p_after timestamptz)
returns timestamptz[]
language sql immutable
set search_path = public, pg_temp
as $$
  select coalesce(array_agg(one order by place), '{}') from unnest(p_failed_at) with ordinality as f (one, place) where one > p_after
$$;

-- The till with this token while it is in force; asked before a tenant is known, so it runs as the look-up role.
create function find_terminal(p_token_hash bytea)
returns table (id uuid, tenant_id uuid, outlet_id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select id, tenant_id, outlet_id from terminals where token_hash = p_token_hash and revoked_at is null
$$;

-- Whether a till's token is still valid: its till is in force, and the PIN is the one it was given for.
create function is_terminal_session_current(p_tenant uuid, p_session_id uuid, p_now timestamptz)
returns boolean
language plpgsql
set search_path = public, pg_temp
as $$
begin
  perform set_config('app.tenant_id', p_tenant::text, true);
  return exists (
    select from terminal_sessions s
      join terminals t on t.tenant_id = s.tenant_id and t.id = s.terminal_id and t.revoked_at is null
      join pins p on p.tenant_id = s.tenant_id and p.user_id = s.user_id and p.id = s.pin_id
     where s.tenant_id = p_tenant and s.id = p_session_id and s.expires_at > p_now);
end
$$;

-- Removes sessions that have expired and counts that are not used any more, p_limit of each at most; says how many.
create function purge_tills(p_expired_before timestamptz, p_counted_before timestamptz, p_limit integer)
returns integer
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  sessions integer;
  counts integer;
  failures integer;
begin
  delete from terminal_sessions t using (select tenant_id, id from terminal_sessions where expires_at < p_expired_before limit p_limit) as old
   where t.tenant_id = old.tenant_id and t.id = old.id;
  get diagnostics sessions = row_count;
  delete from pin_attempts t using (select tenant_id, terminal_id, user_id from pin_attempts where last_at < p_counted_before limit p_limit) as old
   where t.tenant_id = old.tenant_id and t.terminal_id = old.terminal_id and t.user_id = old.user_id;
  get diagnostics counts = row_count;
  delete from pin_failures t using (select tenant_id, user_id from pin_failures where last_at < p_counted_before limit p_limit) as old
   where t.tenant_id = old.tenant_id and t.user_id = old.user_id;
  get diagnostics failures = row_count;
  return sessions + counts + failures;
end
$$;

-- Of a person who was erased no PIN is kept.
create function erase_pin()
returns trigger
language plpgsql security definer
set search_path = public, pg_temp
as $$
begin
  delete from pins where tenant_id = new.tenant_id and user_id = new.id;
  return null;
end
$$;
create trigger users__erased after update of status on users for each row
  when (new.status = 'deleted') execute function erase_pin();

alter function find_terminal(bytea) owner to lango_lookup;
alter function purge_tills(timestamptz, timestamptz, integer) owner to lango_lookup;
alter function erase_pin() owner to lango_lookup;
revoke execute on function find_terminal(bytea), purge_tills(timestamptz, timestamptz, integer), erase_pin() from public;
grant execute on function find_terminal(bytea), purge_tills(timestamptz, timestamptz, integer) to lango_app;
