export { type Access, type AccessOptions, createAccess } from "./access.ts";
export { type Actor, type AuditEntry, recordAudit } from "./audit/audit.store.ts";
export { type AuditPage, type ListedAuditEntry, listAudit } from "./audit/audit-list.store.ts";
export {
	type ListedApiKey,
	listApiKeys,
	type NewApiKey,
	recordApiKey,
	type StoredApiKey,
} from "./keys/api-key.store.ts";
export {
	createApiKey,
	createPlatformKey,
	endApiKey,
	endPlatformKey,
	type KeyChange,
} from "./keys/api-keys.ts";
export { findBoundKey } from "./keys/bound-key.ts";
export { createKeyUses, type KeyUses, keyUsesEverySeconds } from "./keys/key-uses.ts";
export { findSettingKey } from "./keys/setting-key.store.ts";
export { admitSettingKeys } from "./keys/setting-key.ts";
export { accessMigrations } from "./migrations.ts";
export { type Grant, type PersonClaims, seedAccess } from "./people/access.store.ts";
export type { CachedPerson } from "./people/people-cache.ts";
export { findNewerRoles } from "./people/person.store.ts";
export {
	activeStatus,
	outletsOfPerson,
	type Person,
	permissionsOfPerson,
	personHas,
	personMay,
	roleOf,
} from "./people/person.ts";
export { accessConsumers } from "./people/person-consumers.ts";
export { type ListedUser, listUsers } from "./people/user-list.store.ts";
export { mayDo } from "./permissions/may-do.ts";
export {
	describePermission,
	expandGrants,
	type GrantScope,
	type Modules,
	type Permission,
	type PermissionCode,
	permissionsOfModules,
	readPermission,
} from "./permissions/permission.ts";
export { type AccessRefusal, AccessRefused, type OwnRights, UnknownToAccess } from "./permissions/refusal.ts";
export type { AssigningDetail, AssignOptions, RoleAssignment } from "./roles/assign-role.ts";
export { findAssignment, type ListedAssignment, listAssignments } from "./roles/assignment.store.ts";
export { findRole, listRoles, type Role } from "./roles/role.store.ts";
export { changeRole, createRole, deleteRole, type RoleChange, type RoleContent } from "./roles/roles.ts";
