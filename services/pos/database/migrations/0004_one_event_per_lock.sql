-- breaking: no

alter table pin_failures add column recorded_until timestamptz;
comment on column pin_failures.recorded_until is 'The end of the last lock whose audit row and event were recorded: until then no other lock is recorded.';
