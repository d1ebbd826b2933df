-- breaking: no
-- Finds the deliveries that ended without arriving, in the order in which they ended.
create index concurrently message_deliveries__ended on message_deliveries (tenant_id, final_at, id)
  where status in ('failed', 'dead', 'expired', 'undelivered', 'bounced', 'cancelled', 'skipped_preference', 'skipped_no_credit',
    'skipped_no_subscription', 'skipped_limit');
