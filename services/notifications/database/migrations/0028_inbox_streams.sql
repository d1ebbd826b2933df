-- breaking: no
-- Tells every process whose inbox changed: open streams send the news.
create function tell_inbox_changed()
returns trigger
language plpgsql
set search_path = public, pg_temp
as $$
begin
  perform pg_notify('notifications_changed', concat_ws(' ', 'inbox', c.tenant_id, c.user_id))
    from (select distinct tenant_id, user_id from changed) c;
  return null;
end
$$;
create trigger inbox_items__added after insert on inbox_items
  referencing new table as changed for each statement execute function tell_inbox_changed();
create trigger inbox_items__changed after update on inbox_items
  referencing new table as changed for each statement execute function tell_inbox_changed();
