-- breaking: no
-- A failed run keeps its event for seven days, so that it can be run again.

comment on column trigger_runs.event is 'The event, encrypted; null once the run has ended well, and seven days after it failed.';

-- Ends runs that wait since p_waiting_since, erases the events of runs that failed before it, and removes runs and their messages
-- from before p_before; at most p_max of each. Returns how many rows it changed.
create or replace function purge_trigger_runs(p_waiting_since timestamptz, p_before timestamptz, p_max integer, p_now timestamptz)
returns integer
language sql security definer
set search_path = public, pg_temp
as $$
  with ended as (
    update trigger_runs r
       set status = 'failed', event = null, event_key_id = null, finished_at = p_now, notes = '[{"reason": "too_late"}]'
     where (r.tenant_id, r.id) in (
       select w.tenant_id, w.id from trigger_runs w where w.status = 'waiting' and w.due_at < p_waiting_since limit p_max)
    returning 1
  ), erased as (
    update trigger_runs r set event = null, event_key_id = null
     where (r.tenant_id, r.id) in (
       select f.tenant_id, f.id from trigger_runs f
        where f.status = 'failed' and f.event is not null and f.due_at < p_waiting_since limit p_max)
    returning 1
  ), removed_runs as (
    delete from trigger_runs r
     where r.event is null and (r.tenant_id, r.id) in (
       select o.tenant_id, o.id from trigger_runs o where o.event is null and o.created_at < p_before limit p_max)
    returning 1
  ), removed_messages as (
    delete from trigger_messages m
     where (m.tenant_id, m.run_id, m.channel, m.recipient) in (
       select o.tenant_id, o.run_id, o.channel, o.recipient from trigger_messages o where o.created_at < p_before limit p_max)
    returning 1
  )
  select ((select count(*) from ended) + (select count(*) from erased) + (select count(*) from removed_runs)
          + (select count(*) from removed_messages))::integer
$$;
