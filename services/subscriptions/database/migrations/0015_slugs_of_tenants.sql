-- breaking: no
-- Events carry the slug of their tenant, so the service keeps it. Null until the sign-on service sends the next event of the tenant.
alter table tenant_calendars add column slug text;
comment on column tenant_calendars.slug is 'The slug of the tenant, for the events about it; null if it is not known yet';
comment on table tenant_calendars is 'The time zone and the slug of a tenant, from the events of the sign-on service';
