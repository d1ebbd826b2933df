create table parcels (
  id uuid not null default gen_random_uuid(),
  sent_at timestamptz,
  sendings integer not null default 0,
  constraint parcels__pkey primary key (id)
);
grant select, insert, update on parcels to lango_app;
comment on table parcels is 'The rows that jobs are about.';
