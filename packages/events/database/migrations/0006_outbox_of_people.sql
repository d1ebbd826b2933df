-- breaking: no
-- What is told of people is a small part of what is told; erasing a person looks through that alone.
create index concurrently outbox__of_people on outbox (position) where envelope->'data' ?| array['email', 'name'];
