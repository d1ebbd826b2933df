-- breaking: no
-- Mails with a link of the sign-on that are not accepted yet.

create table link_mails (
  event_id uuid not null constraint link_mails__pkey primary key,
  template text not null,
  about_tenant_id uuid,
  data_key_id text not null,
  data bytea not null,
  expires_at timestamptz not null,
  created_at timestamptz not null
);
create index link_mails__old on link_mails (created_at);
comment on table link_mails is 'Events of the sign-on that become a mail: a job accepts it as a message of the platform and removes the row.';
comment on column link_mails.data is 'Address, link id and variables, encrypted.';
grant select, insert, delete on link_mails to lango_app;
grant select on link_mails to lango_platform;
