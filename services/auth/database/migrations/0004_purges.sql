-- breaking: no

-- By when they ended: of what goes on there is nothing in these, so that a refresh writes no index.
create index sessions__revoked_at on sessions (revoked_at) where revoked_at is not null;
create index browser_sessions__ended_at on browser_sessions (ended_at) where ended_at is not null;
create index invitations__ended on invitations (least(accepted_at, withdrawn_at, expires_at));

-- Rows that have had their time, so many of each kind at once, and none that somebody holds; answers how many went. Codes and
-- one-time tokens go a day after they ran out, sessions seven days after their end, invitations thirty.
create or replace function purge_expired(p_now timestamptz, p_limit integer) returns integer
language sql volatile security definer set search_path = public, pg_temp
begin atomic
  with codes as (
    delete from authorization_codes where code_hash in
      (select c.code_hash from authorization_codes c where c.expires_at < p_now - interval '1 day' limit p_limit for update skip locked)
    returning 1
  ), tokens as (
    delete from one_time_tokens where token_hash in
      (select o.token_hash from one_time_tokens o where o.expires_at < p_now - interval '1 day' limit p_limit for update skip locked)
    returning 1
  ), client_sessions as (
    delete from sessions where id in (
      select a.id from (select s.id from sessions s where s.expires_at < p_now - interval '7 days' limit p_limit for update skip locked) a
      union all
      select b.id from (select s.id from sessions s where s.revoked_at < p_now - interval '7 days' limit p_limit for update skip locked) b)
    returning 1
  ), browsers as (
    delete from browser_sessions where id in (
      select a.id from (select s.id from browser_sessions s where s.expires_at < p_now - interval '7 days' limit p_limit for update skip locked) a
      union all
      select b.id from (select s.id from browser_sessions s where s.ended_at < p_now - interval '7 days' limit p_limit for update skip locked) b)
    returning 1
  ), invited as (
    delete from invitations where id in (
      select i.id from invitations i where least(i.accepted_at, i.withdrawn_at, i.expires_at) < p_now - interval '30 days'
       limit p_limit for update skip locked)
    returning 1
  )
  select ((select count(*) from codes) + (select count(*) from tokens) + (select count(*) from client_sessions)
    + (select count(*) from browsers) + (select count(*) from invited))::integer;
end;

-- Looks at so many sessions after one, by their id, and removes those nobody has used until seven days ago; answers how far it looked
-- (null at the end) and how many went. By id, because an index by the time would be written at every refresh.
create function purge_idle_sessions(p_now timestamptz, p_after uuid, p_limit integer) returns table (looked_to uuid, gone integer)
language sql volatile security definer set search_path = public, pg_temp
begin atomic
  with looked as (
    select s.id from sessions s where s.id > coalesce(p_after, '00000000-0000-0000-0000-000000000000') order by s.id limit p_limit
  ), idle as (
    select s.id from sessions s where s.id in (select l.id from looked l) and s.idle_expires_at < p_now - interval '7 days'
       for update skip locked
  ), removed as (
    delete from sessions where id in (select i.id from idle i) returning 1
  )
  select (select l.id from looked l order by l.id desc limit 1), (select count(*) from removed)::integer;
end;
alter function purge_idle_sessions(timestamptz, uuid, integer) owner to lango_lookup;
revoke all on function purge_idle_sessions(timestamptz, uuid, integer) from public;
grant execute on function purge_idle_sessions(timestamptz, uuid, integer) to lango_app;
