-- breaking: no

-- The asking that was answered as failed, so that each is answered once.

alter table intents add column failed_attempt integer not null default 0;
comment on column intents.failed_attempt is 'The attempt of the asking service that treasury.payment.failed answered last; 0: none.';
