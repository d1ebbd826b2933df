export { type Grant, type PersonClaims, seedAccess } from "./access.store.ts";
export {
	type Access,
	type AccessOptions,
	type AssigningDetail,
	createAccess,
	type RoleAssignment,
	UnknownToAccess,
} from "./access.ts";
export { findApiKey, type KeptApiKey, type NewApiKey, recordApiKey } from "./api-key.store.ts";
export { type Actor, type AuditEntry, recordAudit } from "./audit.store.ts";
export { accessConsumers } from "./hear-people.ts";
export { mayDo } from "./may-do.ts";
export { accessMigrations } from "./migrations.ts";
export {
	expandGrants,
	type GrantScope,
	type Modules,
	type Permission,
	type PermissionCode,
	permissionsOfModules,
	readPermission,
} from "./permission.ts";
export { activeStatus, type Person, permissionsOfPerson, personMay, roleOf } from "./person.ts";
export { findSettingKey } from "./setting-key.store.ts";
export { type AdmittingKey, admitSettingKey } from "./setting-key.ts";
export { findOvertakingRoles } from "./told-person.store.ts";
