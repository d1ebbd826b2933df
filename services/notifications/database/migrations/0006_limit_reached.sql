-- breaking: no
-- Publishes once a day that the limit of e-mails is reached.

alter table send_days add column limit_reached_at timestamptz;
comment on column send_days.limit_reached_at is 'When a message was first skipped because the day is full: the event is published once.';
