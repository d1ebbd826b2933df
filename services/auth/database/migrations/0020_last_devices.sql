-- breaking: no
create table last_devices (
  user_id uuid not null,
  likeness bytea,
  noted_at timestamptz not null,
  constraint last_devices__pkey primary key (user_id),
  constraint last_devices__user_id_fkey foreign key (user_id) references users (id) on delete cascade
);
comment on table last_devices is 'That a person has signed in before, and the last device that was unknown then: one mail for each new device. Devices themselves are known by their cookie.';
comment on column last_devices.likeness is 'Keyed hash of the account, network and browser of the last unknown device; null until there was one.';
comment on column last_devices.noted_at is 'When it was noted: a device that is like it counts as new after a day.';
grant select, insert, update, delete on last_devices to lango_app, lango_lookup;
-- People who are known already have signed in before.
insert into last_devices (user_id, noted_at) select id, now() from users;
