-- breaking: no
-- Finds a device in every tenant.
create index concurrently contact_points__device on contact_points (address_key) where channel = 'push';
