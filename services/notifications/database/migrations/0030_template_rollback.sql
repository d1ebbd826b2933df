-- breaking: no
-- Earlier versions of templates come back, and overrides end.

-- Publishes a copy of a published version of a template of the tenant, or of the platform. Returns its number; null if not found.
create function roll_template_back(p_is_platform boolean, p_path text, p_version integer, p_by text, p_now timestamptz)
returns integer
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  v_tenant constant uuid := case when not p_is_platform then current_setting('app.tenant_id')::uuid end;
  v_template uuid;
  v_from template_versions;
  v_to template_versions;
begin
  select t.id into v_template from templates t where t.tenant_id is not distinct from v_tenant and t.path = p_path for update;
  select * into v_from from template_versions v
   where v.template_id = v_template and v.version = p_version and v.published_at is not null;
  if not found then return null; end if;
  insert into template_versions (tenant_id, template_id, version, variables, samples, digest, created_by, created_at, updated_at,
    published_at)
  select v_tenant, v_template, max(v.version) + 1, v_from.variables, v_from.samples, v_from.digest, p_by, p_now, p_now, p_now
    from template_versions v where v.template_id = v_template
  returning * into v_to;
  insert into template_contents (tenant_id, version_id, channel, locale, subject, source, html, text, whatsapp_name)
  select v_tenant, v_to.id, c.channel, c.locale, c.subject, c.source, c.html, c.text, c.whatsapp_name
    from template_contents c where c.version_id = v_from.id;
  update templates t set live_version = v_to.version, updated_at = p_now where t.id = v_template;
  perform pg_notify('notifications_changed', 'template' || coalesce(' ' || v_tenant, ''));
  return v_to.version;
end
$$;
alter function roll_template_back(boolean, text, integer, text, timestamptz) owner to lango_lookup;
revoke execute on function roll_template_back(boolean, text, integer, text, timestamptz) from public;
grant execute on function roll_template_back(boolean, text, integer, text, timestamptz) to lango_app;

-- Ends the override of a template, or withdraws a template of the tenant's own. For the platform, the catalogue's newest version
-- comes into force. Deletes the draft. Published versions stay: messages refer to them. Returns whether the template was found.
create function end_template_override(p_is_platform boolean, p_path text, p_now timestamptz)
returns boolean
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  v_tenant constant uuid := case when not p_is_platform then current_setting('app.tenant_id')::uuid end;
  v_template uuid;
begin
  select t.id into v_template from templates t where t.tenant_id is not distinct from v_tenant and t.path = p_path for update;
  if not found then return false; end if;
  delete from template_versions v where v.template_id = v_template and v.published_at is null;
  update templates t
     set live_version = (select max(v.version) from template_versions v
                          where v.template_id = v_template and p_is_platform and v.created_by = 'platform'),
         updated_at = p_now
   where t.id = v_template;
  delete from templates t where t.id = v_template and not exists (select from template_versions v where v.template_id = t.id);
  perform pg_notify('notifications_changed', 'template' || coalesce(' ' || v_tenant, ''));
  return true;
end
$$;
alter function end_template_override(boolean, text, timestamptz) owner to lango_lookup;
revoke execute on function end_template_override(boolean, text, timestamptz) from public;
grant execute on function end_template_override(boolean, text, timestamptz) to lango_app;
