-- breaking: no
-- Only the seed of the demo called it: it uses save_provider now.
drop function save_platform_provider(jsonb, timestamptz);
