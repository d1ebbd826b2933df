-- breaking: no
-- Lists the suppressions of a tenant.
create index concurrently suppressions__newest on suppressions (tenant_id, created_at desc, id desc);
