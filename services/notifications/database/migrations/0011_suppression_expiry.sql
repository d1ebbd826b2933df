-- breaking: no
-- Finds suppressions that have expired.
create index concurrently suppressions__expiry on suppressions (expires_at) where expires_at is not null;
