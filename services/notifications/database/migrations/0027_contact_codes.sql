-- breaking: no
create table contact_codes (
  tenant_id uuid not null,
  id uuid not null default gen_random_uuid(),
  user_id uuid not null,
  contact_id uuid not null,
  address_key bytea not null,
  code_hash bytea,
  tries integer not null default 0,
  sent_at timestamptz not null,
  constraint contact_codes__pkey primary key (tenant_id, id),
  constraint contact_codes__recipient_fkey
    foreign key (tenant_id, user_id) references recipients (tenant_id, id) on update cascade on delete cascade
);
create index contact_codes__user on contact_codes (user_id, sent_at);
create index contact_codes__address on contact_codes (address_key, sent_at);
create index contact_codes__contact on contact_codes (tenant_id, contact_id, sent_at);
create index contact_codes__old on contact_codes (sent_at);
comment on table contact_codes is 'Codes that were sent to prove an address. A row stays for a while, because codes are counted by address and by person.';
comment on column contact_codes.contact_id is 'No reference: who removes an address and adds it again gets no further codes.';
comment on column contact_codes.code_hash is 'HMAC of the code; null once it was used.';
grant select, insert, update, delete on contact_codes to lango_app;
grant select on contact_codes to lango_platform;
grant select, delete on contact_codes to lango_lookup;
alter table contact_codes enable row level security;
alter table contact_codes force row level security;
create policy contact_codes__tenant on contact_codes using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy contact_codes__platform on contact_codes for select to lango_platform using (true);
create policy contact_codes__lookup on contact_codes to lango_lookup using (true);

-- The time of the code that counts against another one now: the third newest of the address, or the tenth newest of the person, in
-- every tenant. Null if a code may be sent. Until the end of the transaction no other code of either is sent.
create function contact_code_in_the_way(p_user uuid, p_keys bytea[], p_since timestamptz)
returns timestamptz
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  v_sent_at timestamptz;
begin
  perform pg_advisory_xact_lock(hashtextextended('contact codes of ' || p_user, 0));
  perform pg_advisory_xact_lock(hashtextextended('contact codes to ' || encode(p_keys[1], 'hex'), 0));
  select max(c.sent_at) into v_sent_at from (
    (select a.sent_at from contact_codes a where a.address_key = any (p_keys) and a.sent_at > p_since
      order by a.sent_at desc offset 2 limit 1)
    union all
    (select u.sent_at from contact_codes u where u.user_id = p_user and u.sent_at > p_since
      order by u.sent_at desc offset 9 limit 1)) c;
  return v_sent_at;
end
$$;
alter function contact_code_in_the_way(uuid, bytea[], timestamptz) owner to lango_lookup;
revoke execute on function contact_code_in_the_way(uuid, bytea[], timestamptz) from public;
grant execute on function contact_code_in_the_way(uuid, bytea[], timestamptz) to lango_app;

-- As before, and codes that were sent.
create or replace function purge_expired(p_now timestamptz, p_max integer)
returns integer
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  v_keys integer;
  v_reports integer;
  v_minutes integer;
  v_suppressions integer;
  v_codes integer;
begin
  delete from idempotency_keys where expires_at < p_now - interval '1 hour' and ctid = any (array(
    select k.ctid from idempotency_keys k where k.expires_at < p_now - interval '1 hour' limit p_max));
  get diagnostics v_keys = row_count;
  delete from provider_reports where ctid = any (array(
    select r.ctid from provider_reports r where r.received_at < p_now - interval '7 days' limit p_max));
  get diagnostics v_reports = row_count;
  delete from provider_minutes where ctid = any (array(
    select m.ctid from provider_minutes m where m.minute < p_now - interval '1 day' limit p_max));
  get diagnostics v_minutes = row_count;
  delete from suppressions where expires_at < p_now and ctid = any (array(
    select s.ctid from suppressions s where s.expires_at < p_now limit p_max));
  get diagnostics v_suppressions = row_count;
  delete from contact_codes where ctid = any (array(
    select c.ctid from contact_codes c where c.sent_at < p_now - interval '1 day' limit p_max));
  get diagnostics v_codes = row_count;
  return greatest(v_keys, v_reports, v_minutes, v_suppressions, v_codes);
end
$$;
