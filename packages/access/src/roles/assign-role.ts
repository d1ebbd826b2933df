import { accessChanged } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import { type Database, inTenant } from "@lango/postgres";
import { findSlug, hasOutlet } from "@lango/tenancy";
import { type Actor, recordAudit } from "../audit/audit.store.ts";
import { findUser, type KnownUser, recordAssignment, removeAssignment } from "../people/access.store.ts";
import { AccessRefused, type OwnRights, requireWithin, UnknownToAccess } from "../permissions/refusal.ts";
import {
	countAccessChange,
	countAssignments,
	permissionsOfFirstRole,
	restoreFirstRole,
} from "./assignment.store.ts";
import { findRole, isPermanentlyAssigned, lockAccess, type Role } from "./role.store.ts";

/** A role of a person, in the whole tenant or at one outlet. */
export type RoleAssignment = {
	tenantId: string;
	/** The person's id at the sign-on service. */
	subject: string;
	role: string;
	outletId?: string;
};

/** The actor of an assignment, its end, and its request. */
export type AssigningDetail = {
	by: Actor;
	expiresAt?: Date;
	requestId?: string;
	address?: string;
	/** The actor's permissions in the scope of the role. Left out, the caller has checked them. */
	may?: OwnRights;
};

export type AssignOptions = {
	db: Database;
	now: () => Date;
	/** The service's name, which is the prefix of its permissions and events. */
	service: string;
};

const assignmentsMax = 200;

/**
 * Assigns a role in one transaction with its audit entry and its event, and returns the assignment's id. The
 * actor must hold the role's permissions and those of a replaced first role. Throws UnknownToAccess and
 * AccessRefused.
 */
export async function assign(
	options: AssignOptions,
	assignment: RoleAssignment,
	detail: AssigningDetail,
): Promise<string> {
	const { db, now } = options;
	const { tenantId, outletId = null } = assignment;
	const { by, expiresAt = null, may } = detail;
	return inTenant(db, tenantId, async (tx) => {
		await lockAccess(tx, tenantId);
		const { user, role } = await locate(tx, assignment, now());
		const { userId } = user;
		if (outletId !== null && !(await hasOutlet(tx, tenantId, outletId)))
			throw new UnknownToAccess("outlet", outletId);
		const replaced =
			outletId === null
				? await permissionsOfFirstRole(tx, { tenantId, userId, otherThanRoleId: role.id })
				: [];
		requireWithin(may, [...role.permissions, ...replaced]);
		if ((await countAssignments(tx, { tenantId, userId })) >= assignmentsMax)
			throw new AccessRefused("assignments_full");
		const id = await keepingAnAdministrator(tx, { tenantId, service: options.service }, () =>
			recordAssignment(tx, {
				tenantId,
				userId,
				role,
				outletId,
				assignedBy: by.id,
				expiresAt,
				now: now(),
			}),
		);
		await recordChange(tx, options, { assignment, detail, user, action: "role.assigned" });
		return id;
	});
}

/**
 * Revokes an assigned role in one transaction with its audit entry and its event. After the last one the
 * first role applies again. Returns whether it was assigned. Throws UnknownToAccess and AccessRefused.
 */
export async function revoke(
	options: AssignOptions,
	assignment: RoleAssignment,
	detail: AssigningDetail,
): Promise<boolean> {
	const { db, now } = options;
	const { tenantId, outletId = null } = assignment;
	return inTenant(db, tenantId, async (tx) => {
		await lockAccess(tx, tenantId);
		const { user, role } = await locate(tx, assignment, now());
		const { userId } = user;
		requireWithin(detail.may, role.permissions);
		const isRemoved = await keepingAnAdministrator(tx, { tenantId, service: options.service }, async () => {
			if (!(await removeAssignment(tx, { tenantId, userId, role, outletId }))) return false;
			await restoreFirstRole(tx, { tenantId, userId, now: now() });
			return true;
		});
		if (isRemoved) await recordChange(tx, options, { assignment, detail, user, action: "role.revoked" });
		return isRemoved;
	});
}

/**
 * Runs a change, and throws AccessRefused `last_administrator` if it leaves the tenant without a person who
 * can assign roles permanently. Call it with the tenant's access locked.
 */
export async function keepingAnAdministrator<T>(
	tx: Database,
	{ tenantId, service }: { tenantId: string; service: string },
	change: () => Promise<T>,
): Promise<T> {
	const permission = `${service}.roles.manage`;
	const hadOne = await isPermanentlyAssigned(tx, tenantId, permission);
	const result = await change();
	if (hadOne && !(await isPermanentlyAssigned(tx, tenantId, permission)))
		throw new AccessRefused("last_administrator");
	return result;
}

async function locate(
	tx: Database,
	{ tenantId, subject, role: code }: RoleAssignment,
	now: Date,
): Promise<{ user: KnownUser; role: Role }> {
	const user = await findUser(tx, { tenantId, subject, now });
	const role = await findRole(tx, tenantId, code);
	if (user === undefined || user.status === "deleted") throw new UnknownToAccess("user", subject);
	if (role === undefined) throw new UnknownToAccess("role", code);
	return { user, role };
}

type ChangeRecord = {
	assignment: RoleAssignment;
	detail: AssigningDetail;
	user: KnownUser;
	action: "role.assigned" | "role.revoked";
};

async function recordChange(
	tx: Database,
	{ now, service }: AssignOptions,
	{ assignment, detail, user, action }: ChangeRecord,
): Promise<void> {
	const { tenantId, subject, role, outletId = null } = assignment;
	const { by, expiresAt = null, requestId, address } = detail;
	await recordAudit(tx, {
		tenantId,
		at: now(),
		actor: by,
		action,
		subject,
		detail: { role, outletId, ...(action === "role.assigned" && { expiresAt }) },
		...(requestId !== undefined && { requestId }),
		...(address !== undefined && { address }),
	});
	const version = await countAccessChange(tx, { tenantId, userId: user.userId });
	const after = await findUser(tx, { tenantId, subject, now: now() });
	await recordEvent(tx, accessChanged(service), {
		subject,
		tenantId,
		tenantSlug: await findSlug(tx, tenantId),
		correlationId: requestId,
		now: now(),
		data: {
			user_id: subject,
			tenant_id: tenantId,
			roles: (after?.grants ?? []).map((grant) => ({
				role: grant.role,
				outlet_id: grant.outletId,
				expires_at: grant.expiresAt?.toISOString() ?? null,
			})),
			version,
		},
	});
}
