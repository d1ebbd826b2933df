-- breaking: no

create index concurrently sessions__live_user_id on sessions (user_id) where revoked_at is null;
