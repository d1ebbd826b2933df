-- breaking: no

create index concurrently receipts__unverified on receipts (created_at) where state = 'unverified';
