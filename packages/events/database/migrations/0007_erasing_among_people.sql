-- breaking: no
-- As before; both looks go by the index of what is told of people.
create or replace function erase_person_from_events(person text) returns void
language plpgsql security definer set search_path = pg_catalog, public as $$
declare
  kept record;
begin
  update outbox set envelope = without_person(envelope)
   where envelope->'data' ?| array['email', 'name']
     and (subject = person or envelope->'data'->>'user_id' = person
       or envelope->'data'->>'email' in (
         select o.envelope->'data'->>'email' from outbox o
          where o.envelope->'data' ?| array['email', 'name']
            and (o.subject = person or o.envelope->'data'->>'user_id' = person)));
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
