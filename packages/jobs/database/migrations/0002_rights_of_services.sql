-- breaking: no
-- What pg-boss does while a service runs, and no more: it makes, changes and removes no tables then.
revoke execute on all functions in schema pgboss from public;
grant usage on schema pgboss to lango_app;
grant execute on function pgboss.job_now(), pgboss.create_queue(text, jsonb) to lango_app;
grant select, update (flow_on, monitor_backoff_on) on pgboss.version to lango_app;
grant select, insert, update on pgboss.queue to lango_app;
grant select, insert, update, delete on pgboss.job, pgboss.job_common to lango_app;
grant select, update, delete on pgboss.job_dependency to lango_app;
comment on schema pgboss is 'Jobs: work that is done later, and again until it succeeds. pg-boss''s own tables; a job holds an id, never a tenant''s data.';
