-- breaking: no
-- Finds the SMS and WhatsApp messages that were sent in a time.
create index concurrently message_deliveries__metered on message_deliveries (tenant_id, sent_at)
  where channel in ('sms', 'whatsapp') and sent_at is not null;
