-- breaking: no
-- Lists the runs of a rule in a tenant. A rule of the platform has runs of every tenant.
create index concurrently trigger_runs__newest on trigger_runs (tenant_id, trigger_id, created_at desc, id desc);
