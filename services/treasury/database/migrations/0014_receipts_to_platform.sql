-- breaking: no

create index concurrently receipts__to_platform on receipts (tenant_id, currency, id desc) where platform_minor > 0;
