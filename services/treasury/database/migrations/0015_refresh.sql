-- breaking: no

-- When somebody asked the gateway about an intent last, because it is asked every five seconds at most.

alter table intents add column refreshed_at timestamptz;
comment on column intents.refreshed_at is 'When somebody had the gateway asked about its attempts last.';
