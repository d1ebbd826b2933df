-- breaking: no
-- Finds the messages by which a delivery was sent again.
create index concurrently messages__resends on messages (tenant_id, resend_of) where resend_of is not null;
