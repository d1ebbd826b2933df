-- breaking: no

create index concurrently gateway_queries__hints on gateway_queries (created_at) where created_by_kind = 'service';
