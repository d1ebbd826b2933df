-- breaking: no
-- Drafts of templates and their publication. The platform owner's edits stay in force when the catalogue changes.

-- Saves the draft of a template of the tenant, or of the platform. Returns its new tag; null if the draft no longer has the tag that
-- p_draft expects (null: it expects no draft).
create function save_template_draft(p_is_platform boolean, p_draft jsonb, p_contents jsonb, p_now timestamptz)
returns text
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  v_tenant constant uuid := case when not p_is_platform then current_setting('app.tenant_id')::uuid end;
  v_template uuid;
  v_draft template_versions;
begin
  insert into templates (tenant_id, path, category, created_at, updated_at)
  values (v_tenant, p_draft->>'path', p_draft->>'category', p_now, p_now)
  on conflict on constraint templates__path_unique do nothing;
  select t.id into strict v_template from templates t
   where t.tenant_id is not distinct from v_tenant and t.path = p_draft->>'path' for update;
  select * into v_draft from template_versions v where v.template_id = v_template and v.published_at is null;
  if '"' || v_draft.id || '.' || v_draft.revision || '"' is distinct from p_draft->>'tag' then return null; end if;
  if v_draft.id is null then
    insert into template_versions (tenant_id, template_id, version, variables, samples, digest, created_by, created_at, updated_at)
    select v_tenant, v_template, coalesce(max(v.version), 0) + 1, p_draft->'variables', p_draft->'samples', '', p_draft->>'by', p_now, p_now
      from template_versions v where v.template_id = v_template
    returning * into v_draft;
  else
    update template_versions v
       set variables = p_draft->'variables', samples = p_draft->'samples', created_by = p_draft->>'by', updated_at = p_now,
           revision = v.revision + 1
     where v.id = v_draft.id
    returning * into v_draft;
    delete from template_contents c where c.version_id = v_draft.id;
  end if;
  insert into template_contents (tenant_id, version_id, channel, locale, subject, source, text, whatsapp_name)
  select v_tenant, v_draft.id, c.channel, c.locale, c.subject, c.source, c.source, c.whatsapp_name
    from jsonb_to_recordset(p_contents) as c (channel text, locale text, subject text, source text, whatsapp_name text);
  update templates t set updated_at = p_now where t.id = v_template;
  return '"' || v_draft.id || '.' || v_draft.revision || '"';
end
$$;
alter function save_template_draft(boolean, jsonb, jsonb, timestamptz) owner to lango_lookup;
revoke execute on function save_template_draft(boolean, jsonb, jsonb, timestamptz) from public;
grant execute on function save_template_draft(boolean, jsonb, jsonb, timestamptz) to lango_app;

-- Publishes the draft of a template of the tenant, or of the platform, with its compiled contents. Returns its number; null if the
-- draft no longer has the tag. A version of the catalogue may have taken its number or a higher one: then it gets the next.
create function publish_template_draft(p_is_platform boolean, p_draft jsonb, p_contents jsonb, p_now timestamptz)
returns integer
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  v_tenant constant uuid := case when not p_is_platform then current_setting('app.tenant_id')::uuid end;
  v_template uuid;
  v_draft template_versions;
  v_last integer;
begin
  select t.id into v_template from templates t
   where t.tenant_id is not distinct from v_tenant and t.path = p_draft->>'path' for update;
  select * into v_draft from template_versions v
   where v.template_id = v_template and v.published_at is null and '"' || v.id || '.' || v.revision || '"' = p_draft->>'tag';
  if not found then return null; end if;
  select max(v.version) into strict v_last from template_versions v where v.template_id = v_template;
  delete from template_contents c where c.version_id = v_draft.id;
  update template_versions v
     set version = case when v_last > v.version then v_last + 1 else v.version end, variables = p_draft->'variables',
         samples = p_draft->'samples', digest = sha256(convert_to(p_draft->>'variables' || p_contents::text, 'utf8')),
         created_by = p_draft->>'by', updated_at = p_now, published_at = p_now
   where v.id = v_draft.id
  returning * into v_draft;
  insert into template_contents (tenant_id, version_id, channel, locale, subject, source, html, text, whatsapp_name)
  select v_tenant, v_draft.id, c.channel, c.locale, c.subject, c.source, c.html, c.text, c.whatsapp_name
    from jsonb_to_recordset(p_contents) as c (channel text, locale text, subject text, source text, html text, text text,
      whatsapp_name text);
  update templates t set live_version = v_draft.version, category = p_draft->>'category', updated_at = p_now where t.id = v_template;
  perform pg_notify('notifications_changed', 'template' || coalesce(' ' || v_tenant, ''));
  return v_draft.version;
end
$$;
alter function publish_template_draft(boolean, jsonb, jsonb, timestamptz) owner to lango_lookup;
revoke execute on function publish_template_draft(boolean, jsonb, jsonb, timestamptz) from public;
grant execute on function publish_template_draft(boolean, jsonb, jsonb, timestamptz) to lango_app;

-- Publishes a template of the platform if the catalogue has changed it. What the platform owner published stays in force.
-- Returns whether it did.
create or replace function publish_platform_template(p_template jsonb, p_contents jsonb, p_now timestamptz)
returns boolean
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  v_template templates;
  v_digest constant bytea := decode(p_template->>'digest', 'hex');
  v_is_edited boolean;
  v_version template_versions;
begin
  insert into templates (tenant_id, path, category, created_at, updated_at)
  values (null, p_template->>'path', p_template->>'category', p_now, p_now)
  on conflict on constraint templates__path_unique do nothing;
  select * into strict v_template from templates t where t.tenant_id is null and t.path = p_template->>'path' for update;
  if v_digest = (select v.digest from template_versions v
                  where v.template_id = v_template.id and v.created_by = 'platform' and v.published_at is not null
                  order by v.version desc limit 1) then
    return false;
  end if;
  v_is_edited := exists (select from template_versions v
                          where v.template_id = v_template.id and v.version = v_template.live_version and v.created_by <> 'platform');
  insert into template_versions (tenant_id, template_id, version, variables, samples, digest, created_by, created_at, updated_at,
    published_at)
  select null, v_template.id, coalesce(max(v.version), 0) + 1, p_template->'variables', p_template->'samples', v_digest,
         'platform', p_now, p_now, p_now
    from template_versions v where v.template_id = v_template.id
  returning * into v_version;
  insert into template_contents (tenant_id, version_id, channel, locale, subject, source, html, text, whatsapp_name)
  select null, v_version.id, c.channel, c.locale, c.subject, c.source, c.html, c.text, c.whatsapp_name
    from jsonb_to_recordset(p_contents) as c (channel text, locale text, subject text, source text, html text, text text,
      whatsapp_name text);
  update templates t
     set live_version = case when v_is_edited then t.live_version else v_version.version end, category = p_template->>'category',
         updated_at = p_now
   where t.id = v_template.id;
  perform pg_notify('notifications_changed', 'template');
  return true;
end
$$;

-- The newest versions of the catalogue's templates, with the digests of their sources.
create or replace function list_platform_digests()
returns table (path text, digest bytea)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select distinct on (t.path) t.path, v.digest from templates t join template_versions v on v.template_id = t.id
   where t.tenant_id is null and v.created_by = 'platform' and v.published_at is not null
   order by t.path, v.version desc
$$;
