-- breaking: no

create index concurrently orders__unreported_cancellations on orders (tenant_id, placed_at)
  where status = 'cancelled' and cancellation_reported_at is null;
