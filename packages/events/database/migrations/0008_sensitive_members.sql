-- breaking: no
comment on column outbox.envelope is 'The event as it goes out: CloudEvents 1.0 in JSON. Sensitive members are empty, and encrypted in the member sealed.';
comment on column deliveries.body is 'What came, byte by byte; of what is no event the beginning. Sensitive members are empty, and encrypted in the member sealed.';
