-- breaking: no

comment on column api_keys.creator_id is 'The person whose present rights and outlets limit the key, by their id at the sign-on service. Null: no person limits it, because a visiting platform owner created it.';
comment on column api_keys.outlet_ids is 'The outlets whose rows the key sees and changes, as far as its creator has them; null: every one.';

-- No person limits a key that a program created, or that was created with such a key. These keys are revoked.
alter table api_keys no force row level security;
alter table audit_log no force row level security;
with recursive programs as (
  select k.id from api_keys k
   where exists (select from audit_log a where a.action = 'api_key.created' and a.subject = k.id and a.actor_kind = 'client')
  union
  select k.id from api_keys k join programs on k.created_by = programs.id
), revoked as (
  update api_keys k set revoked_at = now() from programs
   where k.id = programs.id and k.revoked_at is null and k.creator_id is null
  returning k.id, k.tenant_id
)
insert into audit_log (tenant_id, occurred_at, actor_kind, actor_id, action, subject, detail)
select tenant_id, now(), 'system', 'upgrade', 'api_key.revoked', id, '{"reason": "created by a program"}' from revoked;
alter table api_keys force row level security;
alter table audit_log force row level security;
