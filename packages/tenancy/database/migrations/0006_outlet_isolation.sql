-- breaking: no
alter table tenants add column outlet_isolation text not null default 'strict'
  constraint tenants__outlet_isolation_check check (outlet_isolation in ('strict', 'open'));
comment on column tenants.outlet_isolation is 'open: people bound to outlets read the whole tenant where they name no outlet; their changes stay within their outlets.';

drop trigger tenants__changed on tenants;
create trigger tenants__changed after update on tenants for each row
  when ((old.id, old.slug, old.name, old.status, old.time_zone, old.currency, old.locale, old.outlet_isolation)
        is distinct from (new.id, new.slug, new.name, new.status, new.time_zone, new.currency, new.locale, new.outlet_isolation))
  execute function tell_tenant_changed();
