-- breaking: no
-- Time is granted once under a key, which is kept with the deed.
create unique index concurrently audit_log__grant_key on audit_log (tenant_id, actor_id, (detail ->> 'idempotency_key'))
  where action = 'time.granted' and detail ? 'idempotency_key';
