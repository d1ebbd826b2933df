-- breaking: no
-- Finds failed runs whose event is due to be erased.
create index concurrently trigger_runs__failed on trigger_runs (due_at) where status = 'failed' and event is not null;
