-- breaking: no
alter table notes add column weight bigint not null default 0;
alter table notes add column written_on date;
alter table notes add constraint notes__body_unique unique (tenant_id, body);
create policy notes__platform on notes for select to lango_platform using (true);
grant select on notes to lango_platform;
comment on table notes is 'What a tenant wrote down.';
