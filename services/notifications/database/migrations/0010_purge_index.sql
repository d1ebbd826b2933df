-- breaking: no
-- Finds messages whose data is due to be purged.
create index concurrently messages__purge on messages (tenant_id, id) where purged_at is null;
