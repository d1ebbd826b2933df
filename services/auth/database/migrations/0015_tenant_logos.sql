-- breaking: no

create table tenant_logos (
  tenant_id uuid not null,
  id text not null,
  content bytea not null,
  created_at timestamptz not null,
  constraint tenant_logos__pkey primary key (tenant_id, id),
  constraint tenant_logos__tenant_id_fkey foreign key (tenant_id) references tenants (id),
  constraint tenant_logos__id_form check (id ~ '^[0-9a-f]{64}$'),
  constraint tenant_logos__content_size check (octet_length(content) between 1 and 1048576)
);
comment on table tenant_logos is 'Uploaded logos: the present one of a tenant, which tenants.logo_url names, and the one before, which cached pages may still show.';
comment on column tenant_logos.id is 'SHA-256 of the content in hexadecimal.';
comment on column tenant_logos.content is 'A WebP image that the service encoded itself, at most 512 by 512 pixels.';

alter table tenant_logos enable row level security;
alter table tenant_logos force row level security;
create policy tenant_logos__tenant on tenant_logos using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy tenant_logos__lookup on tenant_logos to lango_lookup using (true);
create policy tenant_logos__platform on tenant_logos for select to lango_platform using (true);
grant select, insert, delete on tenant_logos to lango_app;
