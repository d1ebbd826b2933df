-- breaking: no

create table pin_failures (
  user_id uuid not null constraint pin_failures__pkey primary key,
  tenant_id uuid not null,
  failed_at timestamptz[] not null,
  round integer not null,
  locked_until timestamptz,
  last_at timestamptz not null,
  constraint pin_failures__user_fkey
    foreign key (tenant_id, user_id) references users (tenant_id, id) on update cascade on delete cascade
);
create index pin_failures__tenant on pin_failures (tenant_id);
create index pin_failures__last on pin_failures (last_at);
comment on table pin_failures is 'Wrong PINs of a person at all terminals of the tenant within one hour. 20 lock the person for an hour or until a new PIN is set.';
comment on column pin_failures.failed_at is 'When each failure was counted, at most 20. A failure is counted before the PIN is checked and taken back if the PIN was right.';
comment on column pin_failures.round is 'Increases when a new PIN is set: an attempt that was counted before cannot change the count after.';

alter table pin_failures enable row level security;
alter table pin_failures force row level security;
create policy pin_failures__tenant on pin_failures using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy pin_failures__purge on pin_failures to lango_lookup using (true);
grant select, insert, update, delete on pin_failures to lango_app;
grant select, delete on pin_failures to lango_lookup;

create or replace function purge_tills(p_expired_before timestamptz, p_counted_before timestamptz, p_limit integer)
returns integer
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  sessions integer;
  counts integer;
  failures integer;
begin
  delete from terminal_sessions
   where ctid = any (array(select ctid from terminal_sessions where expires_at < p_expired_before limit p_limit));
  get diagnostics sessions = row_count;
  delete from pin_attempts
   where ctid = any (array(select ctid from pin_attempts where last_at < p_counted_before limit p_limit));
  get diagnostics counts = row_count;
  delete from pin_failures
   where ctid = any (array(select ctid from pin_failures where last_at < p_counted_before limit p_limit));
  get diagnostics failures = row_count;
  return sessions + counts + failures;
end
$$;
