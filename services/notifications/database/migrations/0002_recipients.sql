-- breaking: no
-- People who were erased, and how tenants show themselves in e-mails.

create table erased_people (
  id uuid not null constraint erased_people__pkey primary key,
  erased_at timestamptz not null,
  done_at timestamptz
);
create index erased_people__open on erased_people (id) where done_at is null;
comment on table erased_people is 'People who were erased: an event that is delivered late makes no recipient of them again.';
comment on column erased_people.done_at is 'When the last row about the person was erased, in every tenant.';
grant select, insert, update on erased_people to lango_app;
grant select on erased_people to lango_platform;

create table tenant_branding (
  tenant_id uuid not null constraint tenant_branding__pkey primary key
    constraint tenant_branding__tenant_fkey references tenants (id) on update cascade,
  logo_url text,
  colour text,
  version bigint not null
);
comment on table tenant_branding is 'Logo and colour of a tenant, copied from the sign-on service''s events.';
alter table tenant_branding enable row level security;
alter table tenant_branding force row level security;
create policy tenant_branding__tenant on tenant_branding using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy tenant_branding__platform on tenant_branding for select to lango_platform using (true);
grant select, insert, update, delete on tenant_branding to lango_app;
grant select on tenant_branding to lango_platform;

alter table recipients drop column erased_at;

-- Where a person is known, and the keys of the e-mail addresses: before a tenant is known.
create function places_of_person(p_user uuid)
returns table (tenant_id uuid, email_address_key bytea)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select r.tenant_id, r.email_address_key from recipients r where r.id = p_user
$$;
alter function places_of_person(uuid) owner to lango_lookup;
revoke execute on function places_of_person(uuid) from public;
grant execute on function places_of_person(uuid) to lango_app;

grant update (status, version, updated_at) on recipients to lango_lookup;
create policy recipients__lookup_update on recipients for update to lango_lookup using (true);

-- Closes a person in every tenant, unless a later version was applied.
create function close_person(p_user uuid, p_version bigint, p_now timestamptz)
returns void
language sql security definer
set search_path = public, pg_temp
as $$
  update recipients r set status = 'disabled', version = p_version, updated_at = p_now
   where r.id = p_user and r.version < p_version
$$;
alter function close_person(uuid, bigint, timestamptz) owner to lango_lookup;
revoke execute on function close_person(uuid, bigint, timestamptz) from public;
grant execute on function close_person(uuid, bigint, timestamptz) to lango_app;

-- Before two ids of a tenant are merged (decision 0045): a person who is known under both is kept as the newer version says, with
-- the contact points and preferences of both.
create function prepare_merge_of_people(p_from uuid, p_to uuid)
returns void
language sql
set search_path = public, pg_temp
as $$
  delete from tenant_branding f using tenant_branding d where d.tenant_id = p_to and f.tenant_id = p_from;
  delete from contact_points f using contact_points d
   where d.tenant_id = p_to and f.tenant_id = p_from
     and (d.user_id, d.channel, d.address_key) = (f.user_id, f.channel, f.address_key);
  update contact_points c set tenant_id = p_to
   where c.tenant_id = p_from and exists (select from recipients d where d.tenant_id = p_to and d.id = c.user_id);
  delete from recipients f using recipients d where d.tenant_id = p_to and f.tenant_id = p_from and d.id = f.id;
  delete from preferences f using preferences d
   where d.tenant_id = p_to and f.tenant_id = p_from
     and (d.user_id, d.category, d.channel) is not distinct from (f.user_id, f.category, f.channel);
$$;
revoke execute on function prepare_merge_of_people(uuid, uuid) from public;

-- Takes over the rows of an id of the tenant that is merged into another (decision 0045): e-mails of
-- a day and credit are added, buckets and lanes are joined.
create or replace function prepare_merge(p_from uuid, p_to uuid)
returns void
language sql
set search_path = public, pg_temp
as $$
  select prepare_merge_of_people(p_from, p_to);
  update send_days d set used = d.used + f.used from send_days f
   where d.tenant_id = p_to and f.tenant_id = p_from and f.day = d.day;
  delete from send_days f using send_days d where d.tenant_id = p_to and f.tenant_id = p_from and f.day = d.day;
  delete from channel_buckets f using channel_buckets d
   where d.tenant_id = p_to and f.tenant_id = p_from and f.channel = d.channel;
  update lanes d set next_due_at = least(coalesce(d.next_due_at, f.next_due_at), coalesce(f.next_due_at, d.next_due_at)) from lanes f
   where d.tenant_id = p_to and f.tenant_id = p_from and f.channel = d.channel and f.class = d.class;
  delete from lanes f using lanes d
   where d.tenant_id = p_to and f.tenant_id = p_from and f.channel = d.channel and f.class = d.class;
  update credit_balances d set balance = d.balance + f.balance, reserved = d.reserved + f.reserved from credit_balances f
   where d.tenant_id = p_to and f.tenant_id = p_from;
  delete from credit_balances f using credit_balances d where d.tenant_id = p_to and f.tenant_id = p_from;
$$;
