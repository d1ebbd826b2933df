-- breaking: no
create function without_person(event jsonb) returns jsonb
language sql immutable parallel safe set search_path = pg_catalog
return case when jsonb_typeof(event->'data') = 'object' then
  event || jsonb_build_object('data', (event->'data')
    || case when event->'data' ? 'email' then '{"email": "erased@erased.invalid"}'::jsonb else '{}' end
    || case when event->'data' ? 'name' then '{"name": ""}'::jsonb else '{}' end)
  else event end;
comment on function without_person is 'An event whose data no longer says how to reach a person or what they are called, and still fits its contract.';

create function erase_person_from_events(person text) returns void
language plpgsql security definer set search_path = pg_catalog, public as $$
declare
  kept record;
begin
  update outbox set envelope = without_person(envelope)
   where envelope->'data' ?| array['email', 'name']
     and (subject = person or envelope->'data'->>'user_id' = person
       or envelope->'data'->>'email' in (
         select o.envelope->'data'->>'email' from outbox o
          where o.subject = person or o.envelope->'data'->>'user_id' = person));
  for kept in
    select d.position, d.body from deliveries d where position(convert_to(person, 'UTF8') in d.body) > 0 for update
  loop
    begin
      update deliveries d
         set body = convert_to(without_person(convert_from(kept.body, 'UTF8')::jsonb)::text, 'UTF8')
       where d.position = kept.position;
    exception when data_exception then
      -- It is no event, and nobody knows what else it holds.
      update deliveries d set body = convert_to('erased', 'UTF8') where d.position = kept.position;
    end;
  end loop;
end $$;
revoke execute on function erase_person_from_events(text) from public;
grant execute on function erase_person_from_events(text) to lango_app;
comment on function erase_person_from_events is 'Takes what is personal out of all events about a person that are kept here. The service may change no event otherwise.';
