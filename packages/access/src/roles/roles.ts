import { roleChanged } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import { type Database, inTenant, violatedConstraint } from "@lango/postgres";
import { findSlug } from "@lango/tenancy";
import { type Actor, recordAudit } from "../audit/audit.store.ts";
import { AccessRefused, type OwnRights, requireWithin, UnknownToAccess } from "../permissions/refusal.ts";
import { type AssignOptions, keepingAnAdministrator } from "./assign-role.ts";
import {
	changeRoleText,
	findRole,
	lockAccess,
	type Role,
	recordRole,
	removeRole,
	setRolePermissions,
} from "./role.store.ts";

/** The actor of a change of a tenant's own role, their permissions in the whole tenant, and the request. */
export type RoleChange = {
	tenantId: string;
	code: string;
	by: Actor;
	may?: OwnRights;
	requestId?: string;
	address?: string;
};

/** The new content of a role. Missing members are not changed. */
export type RoleContent = { description?: string; permissions?: readonly string[] };

const rolesMax = 200;

/** Creates a tenant's own role. Throws AccessRefused `role_exists`, `roles_full` or `exceeds_own_rights`. */
export async function createRole(
	options: AssignOptions,
	change: RoleChange,
	{ description = "", permissions = [] }: RoleContent,
): Promise<Role> {
	const { tenantId, code } = change;
	return inTenant(options.db, tenantId, async (tx) => {
		await lockAccess(tx, tenantId);
		if ((await findRole(tx, tenantId, code)) !== undefined) throw new AccessRefused("role_exists");
		requireWithin(change.may, permissions);
		const id = await recordRole(tx, { tenantId, code, description, rolesMax }).catch((error) => {
			if (violatedConstraint(error) === "roles__code_unique") throw new AccessRefused("role_exists");
			throw error;
		});
		if (id === undefined) throw new AccessRefused("roles_full");
		await setRolePermissions(tx, { tenantId, id, permissions });
		const made = await get(tx, tenantId, code);
		await recordChange(tx, options, { change, action: "role.created", before: null, after: made });
		return made;
	});
}

/**
 * Changes a tenant's own role, effective immediately for its holders. Throws UnknownToAccess, or
 * AccessRefused `role_is_system`, `exceeds_own_rights` (for old and new permissions) or `last_administrator`.
 */
export async function changeRole(
	options: AssignOptions,
	change: RoleChange,
	content: RoleContent,
): Promise<Role> {
	const { tenantId, code, may } = change;
	return inTenant(options.db, tenantId, async (tx) => {
		await lockAccess(tx, tenantId);
		const before = await getOwn(tx, tenantId, code);
		const { description = before.description, permissions = before.permissions } = content;
		requireWithin(may, [...before.permissions, ...permissions]);
		await keepingAnAdministrator(tx, { tenantId, service: options.service }, () =>
			setRolePermissions(tx, { tenantId, id: before.id, permissions }),
		);
		await changeRoleText(tx, { tenantId, id: before.id, description });
		const after = await get(tx, tenantId, code);
		await recordChange(tx, options, { change, action: "role.changed", before, after });
		return after;
	});
}

/**
 * Removes a tenant's own role that is not assigned. Throws UnknownToAccess, or AccessRefused
 * `role_is_system`, `role_in_use`, `exceeds_own_rights`.
 */
export async function deleteRole(options: AssignOptions, change: RoleChange): Promise<void> {
	const { tenantId, code, may } = change;
	await inTenant(options.db, tenantId, async (tx) => {
		await lockAccess(tx, tenantId);
		const before = await getOwn(tx, tenantId, code);
		requireWithin(may, before.permissions);
		if (!(await removeRole(tx, { tenantId, id: before.id, now: options.now() })))
			throw new AccessRefused("role_in_use");
		await recordChange(tx, options, { change, action: "role.deleted", before, after: null });
	});
}

async function get(tx: Database, tenantId: string, code: string): Promise<Role> {
	const role = await findRole(tx, tenantId, code);
	if (role === undefined) throw new UnknownToAccess("role", code);
	return role;
}

async function getOwn(tx: Database, tenantId: string, code: string): Promise<Role> {
	const role = await get(tx, tenantId, code);
	if (role.isSystem) throw new AccessRefused("role_is_system");
	return role;
}

type ChangeRecord = {
	change: RoleChange;
	action: "role.created" | "role.changed" | "role.deleted";
	before: Role | null;
	after: Role | null;
};

async function recordChange(
	tx: Database,
	{ now, service }: AssignOptions,
	{ change, action, before, after }: ChangeRecord,
): Promise<void> {
	const { tenantId, code, by, requestId, address } = change;
	const content = (role: Role | null) =>
		role && { description: role.description, permissions: role.permissions };
	await recordAudit(tx, {
		tenantId,
		at: now(),
		actor: by,
		action,
		subject: code,
		detail: { before: content(before), after: content(after) },
		...(requestId !== undefined && { requestId }),
		...(address !== undefined && { address }),
	});
	const role = after ?? before;
	if (role === null) throw new Error("a change of a role needs a value before or after");
	await recordEvent(tx, roleChanged(service), {
		subject: role.id,
		tenantId,
		tenantSlug: await findSlug(tx, tenantId),
		correlationId: requestId,
		now: now(),
		data: {
			role_id: role.id,
			tenant_id: tenantId,
			code,
			is_deleted: after === null,
			permissions: [...(after?.permissions ?? [])],
			version: role.version + (after === null ? 1 : 0),
		},
	});
}
