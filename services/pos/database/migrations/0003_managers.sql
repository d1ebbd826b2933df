-- breaking: no

-- Managers get the role pos_manager in place of pos_operator, which they had as their first role. Its permissions are those
-- that pos_operator has now; the service writes the declared ones when it starts. Assigned roles stay as they are.
alter table roles no force row level security;
alter table role_permissions no force row level security;
alter table users no force row level security;
alter table user_role_assignments no force row level security;

insert into roles (role_code, is_system_role)
select 'pos_manager', true
 where exists (select from users where first_role = 'pos_operator' and 'manager' = any (global_roles))
on conflict do nothing;

insert into role_permissions (role_id, permission_id)
select manager.id, held.permission_id
  from roles manager
  join roles operator on operator.role_code = 'pos_operator' and operator.tenant_id is null
  join role_permissions held on held.role_id = operator.id
 where manager.role_code = 'pos_manager' and manager.tenant_id is null
   and not exists (select from role_permissions known where known.role_id = manager.id)
on conflict do nothing;

update user_role_assignments assignment
   set role_id = manager.id
  from users person, roles operator, roles manager
 where person.id = assignment.user_id and assignment.role_id = operator.id and assignment.assigned_by is null
   and person.first_role = 'pos_operator' and 'manager' = any (person.global_roles)
   and operator.role_code = 'pos_operator' and operator.tenant_id is null
   and manager.role_code = 'pos_manager' and manager.tenant_id is null
   and not exists (select from user_role_assignments held where held.user_id = person.id and held.role_id = manager.id);

update users set first_role = 'pos_manager' where first_role = 'pos_operator' and 'manager' = any (global_roles);

alter table roles force row level security;
alter table role_permissions force row level security;
alter table users force row level security;
alter table user_role_assignments force row level security;
