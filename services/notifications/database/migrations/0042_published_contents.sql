-- breaking: no
-- Published versions of templates never change, whatever their tenant's id becomes; they go with their tenant.
create or replace function refuse_published_change()
returns trigger
language plpgsql security definer
set search_path = public, pg_temp
as $$
begin
  if tg_op = 'UPDATE' and to_jsonb(new) - 'tenant_id' = to_jsonb(old) - 'tenant_id' then return new; end if;
  if old.published_at is not null
     and (tg_op = 'UPDATE' or not exists (select from tenants t where t.id = old.tenant_id and t.deleted_at is not null)) then
    raise exception 'version % of the template is published', old.version;
  end if;
  return case when tg_op = 'UPDATE' then new else old end;
end
$$;
alter function refuse_published_change() owner to lango_lookup;
drop trigger template_versions__published on template_versions;
create trigger template_versions__published before update or delete on template_versions
  for each row execute function refuse_published_change();

-- Contents of a published version never change either.
create function refuse_published_contents()
returns trigger
language plpgsql security definer
set search_path = public, pg_temp
as $$
begin
  if tg_op = 'UPDATE' and to_jsonb(new) - 'tenant_id' = to_jsonb(old) - 'tenant_id' then return new; end if;
  if exists (select from template_versions v where v.id = old.version_id and v.published_at is not null)
     and (tg_op = 'UPDATE' or not exists (select from tenants t where t.id = old.tenant_id and t.deleted_at is not null)) then
    raise exception 'the version of this content is published';
  end if;
  return case when tg_op = 'UPDATE' then new else old end;
end
$$;
alter function refuse_published_contents() owner to lango_lookup;
create trigger template_contents__published before update or delete on template_contents
  for each row execute function refuse_published_contents();

-- The contents of a published version are all added by one statement, and none later.
create function refuse_late_contents()
returns trigger
language plpgsql security definer
set search_path = public, pg_temp
as $$
begin
  if exists (
    select from added a join template_versions v on v.id = a.version_id and v.published_at is not null
      join template_contents c on c.version_id = a.version_id and c.id not in (select o.id from added o)) then
    raise exception 'the version of this content is published';
  end if;
  return null;
end
$$;
alter function refuse_late_contents() owner to lango_lookup;
create trigger template_contents__late after insert on template_contents
  referencing new table as added for each statement execute function refuse_late_contents();
