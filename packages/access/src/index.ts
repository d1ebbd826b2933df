export { type Grant, type PersonClaims, seedAccess } from "./access.store.ts";
export { type Access, type AccessOptions, createAccess } from "./access.ts";
export {
	type ListedApiKey,
	listApiKeys,
	type NewApiKey,
	recordApiKey,
	type StoredApiKey,
} from "./api-key.store.ts";
export { createApiKey, createPlatformKey, endApiKey, endPlatformKey, type KeyChange } from "./api-keys.ts";
export type { AssigningDetail, AssignOptions, RoleAssignment } from "./assign-role.ts";
export { findAssignment, type ListedAssignment, listAssignments } from "./assignment.store.ts";
export { type Actor, type AuditEntry, recordAudit } from "./audit.store.ts";
export { type ListedAuditEntry, listAudit } from "./audit-list.store.ts";
export { findBoundKey } from "./bound-key.ts";
export { createKeyUses, type KeyUses, keyUsesEverySeconds } from "./key-uses.ts";
export { mayDo } from "./may-do.ts";
export { accessMigrations } from "./migrations.ts";
export type { CachedPerson } from "./people-cache.ts";
export {
	describePermission,
	expandGrants,
	type GrantScope,
	type Modules,
	type Permission,
	type PermissionCode,
	permissionsOfModules,
	readPermission,
} from "./permission.ts";
export { findNewerRoles } from "./person.store.ts";
export {
	activeStatus,
	outletsOfPerson,
	type Person,
	permissionsOfPerson,
	personHas,
	personMay,
	roleOf,
} from "./person.ts";
export { accessConsumers } from "./person-consumers.ts";
export { type AccessRefusal, AccessRefused, type OwnRights, UnknownToAccess } from "./refusal.ts";
export { findRole, listRoles, type Role } from "./role.store.ts";
export { changeRole, createRole, deleteRole, type RoleChange, type RoleContent } from "./roles.ts";
export { findSettingKey } from "./setting-key.store.ts";
export { admitSettingKeys } from "./setting-key.ts";
export { type ListedUser, listUsers } from "./user-list.store.ts";
