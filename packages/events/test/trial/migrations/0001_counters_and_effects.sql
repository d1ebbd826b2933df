-- breaking: no
create table counters (
  subject text not null,
  value integer not null default 0,
  constraint counters__pkey primary key (subject)
);
grant select, insert, update on counters to lango_app;
comment on table counters is 'The state that events are about.';

create table effects (
  position bigint generated always as identity,
  consumer text not null,
  subject text not null,
  n integer not null,
  constraint effects__pkey primary key (position)
);
grant select, insert on effects to lango_app;
comment on table effects is 'What consumers made of the events, in the order they did.';
