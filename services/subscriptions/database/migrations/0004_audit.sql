-- breaking: no
-- Who changed what, by hand.

create table audit_log (
  id bigint not null generated always as identity,
  tenant_id uuid,
  occurred_at timestamptz not null,
  actor_kind text not null,
  actor_id text not null,
  action text not null,
  subject text not null,
  detail jsonb not null,
  request_id text,
  address text,
  constraint audit_log__pkey primary key (id),
  constraint audit_log__actor_known check (actor_kind in ('user', 'client', 'key', 'system'))
);
comment on table audit_log is 'Every change somebody made of the catalogue or of a subscription; rows are only added';
comment on column audit_log.tenant_id is 'Null: about the catalogue, which is the same for all';
comment on column audit_log.detail is 'What was before and after';
create index audit_log__tenant on audit_log (tenant_id, id desc);

alter table audit_log enable row level security;
alter table audit_log force row level security;
create policy audit_log__tenant on audit_log using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy audit_log__of_platform on audit_log for insert to lango_app
  with check (tenant_id is null and nullif(current_setting('app.tenant_id', true), '') is null);
create policy audit_log__platform on audit_log for select to lango_platform using (true);
grant select, insert on audit_log to lango_app;
grant select on audit_log to lango_platform;
