-- breaking: no
-- Counts the tests that a person sent within an hour.
create index concurrently messages__tests on messages (tenant_id, caller_id, created_at) where source = 'test';
