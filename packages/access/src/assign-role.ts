import { accessChanged } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import { type Database, inTenant } from "@lango/postgres";
import { findSlug, hasOutlet } from "@lango/tenancy";
import { findUser, type KnownUser, recordAssignment, removeAssignment } from "./access.store.ts";
import {
	countAccessChange,
	countAssignments,
	permissionsOfFirstRole,
	restoreFirstRole,
} from "./assignment.store.ts";
import { type Actor, recordAudit } from "./audit.store.ts";
import { AccessRefused, type OwnRights, requireWithin, UnknownToAccess } from "./refusal.ts";
import { findRole, isHeldForGood, lockAccess, type Role } from "./role.store.ts";

/** Which role of which person, and where: in the whole tenant, or at one outlet. */
export type RoleAssignment = {
	tenantId: string;
	/** The person's id at the sign-on service. */
	subject: string;
	role: string;
	outletId?: string;
};

/** Who assigns, until when, and the request it came by. */
export type AssigningDetail = {
	by: Actor;
	expiresAt?: Date;
	requestId?: string;
	address?: string;
	/** What whoever assigns may do where the role will count; left out, the caller answers for it. */
	may?: OwnRights;
};

export type AssignOptions = {
	db: Database;
	now: () => Date;
	/** The service's name: the prefix of its permissions and events. */
	service: string;
};

const assignmentsMax = 200;

/**
 * Assigns a role in one transaction with its audit row and its event; returns the assignment's id. Nobody gives, or takes away by
 * replacing a first role, more than they hold. Throws UnknownToAccess and AccessRefused.
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
		if (outletId !== null && !(await hasOutlet(tx, outletId))) throw new UnknownToAccess("outlet", outletId);
		const replaced = outletId === null ? await permissionsOfFirstRole(tx, user.userId, role.id) : [];
		requireWithin(may, [...role.permissions, ...replaced]);
		if ((await countAssignments(tx, user.userId)) >= assignmentsMax)
			throw new AccessRefused("assignments_full");
		const id = await keepingAnAdministrator(tx, options.service, () =>
			recordAssignment(tx, {
				tenantId,
				userId: user.userId,
				roleId: role.id,
				outletId,
				assignedBy: by.id,
				expiresAt,
				now: now(),
			}),
		);
		await tell(tx, options, { assignment, detail, user, action: "role.assigned" });
		return id;
	});
}

/**
 * Takes an assigned role back in one transaction with its audit row and its event; with the last one gone the first role holds
 * again at once. Whether it was assigned. Throws UnknownToAccess and AccessRefused.
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
		requireWithin(detail.may, role.permissions);
		const isRemoved = await keepingAnAdministrator(tx, options.service, async () => {
			if (!(await removeAssignment(tx, { userId: user.userId, roleId: role.id, outletId }))) return false;
			await restoreFirstRole(tx, { userId: user.userId, now: now() });
			return true;
		});
		if (isRemoved) await tell(tx, options, { assignment, detail, user, action: "role.revoked" });
		return isRemoved;
	});
}

/**
 * Runs a change; when before it somebody could assign roles in the tenant with no end to it and after it nobody can, throws
 * AccessRefused `last_administrator`. Call it with the tenant's access locked.
 */
export async function keepingAnAdministrator<T>(
	tx: Database,
	service: string,
	change: () => Promise<T>,
): Promise<T> {
	const permission = `${service}.roles.manage`;
	const hadOne = await isHeldForGood(tx, permission);
	const result = await change();
	if (hadOne && !(await isHeldForGood(tx, permission))) throw new AccessRefused("last_administrator");
	return result;
}

async function locate(
	tx: Database,
	{ tenantId, subject, role: code }: RoleAssignment,
	now: Date,
): Promise<{ user: KnownUser; role: Role }> {
	const [user, role] = [await findUser(tx, { tenantId, subject, now }), await findRole(tx, code)];
	if (user === undefined || user.status === "deleted") throw new UnknownToAccess("user", subject);
	if (role === undefined) throw new UnknownToAccess("role", code);
	return { user, role };
}

type Told = {
	assignment: RoleAssignment;
	detail: AssigningDetail;
	user: KnownUser;
	action: "role.assigned" | "role.revoked";
};

async function tell(
	tx: Database,
	{ now, service }: AssignOptions,
	{ assignment, detail, user, action }: Told,
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
	const version = await countAccessChange(tx, user.userId);
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
