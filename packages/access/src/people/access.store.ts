import type { Database } from "@lango/postgres";
import { describePermission, type Permission } from "../permissions/permission.ts";

/** A current role assignment with the permissions of its role. */
export type Grant = {
	role: string;
	outletId: string | null;
	expiresAt: Date | null;
	permissions: readonly string[];
};

/** The outlets of a person in a tenant. */
type KnownOutlets = {
	/** All assigned outlets, of any status, sorted. */
	assigned: readonly string[];
	/** The accessible outlets: the assigned ones that are active, or the only active outlet of the tenant. */
	active: readonly string[];
	/** The number of active outlets of the tenant: 0, 1, or 2 for more than one. */
	inTenant: number;
	/** The time of the newest complete list; null before the first one. */
	until: Date | null;
};

/** A person as stored in the tables. */
export type KnownUser = {
	userId: string;
	status: string;
	issuedAt: Date;
	grants: readonly Grant[];
	/** Not limited to outlets. */
	isHq: boolean;
	outlets: KnownOutlets;
};

/** The claims of a token that this service stores. */
export type PersonClaims = {
	/** The person's id at the sign-on service. */
	subject: string;
	/** Empty if the token does not state it; the stored value is then kept. The same applies to `name`. */
	email: string;
	name: string;
	status: string;
	globalRoles: readonly string[];
	issuedAt: Date;
	/** Not limited to outlets: headquarters, `admin` or `superuser`. */
	isHq: boolean;
	/** All outlets of the person, sorted, if the token lists them. */
	outletIds?: readonly string[];
	/** The outlet that the person selected. */
	outletId?: string;
};

type UserRow = {
	user_id: string;
	user_status: string;
	issued_at: Date;
	grants: ReadonlyArray<{
		role: string;
		outlet_id: string | null;
		expires_at: string | null;
		permissions: string[];
	}>;
	is_hq: boolean;
	outlets: { assigned: string[]; active: string[]; in_tenant: number; until: string | null };
};

/** Writes the declared permissions and system roles. Idempotent. */
export async function seedAccess(
	db: Database,
	{
		permissions,
		roles,
	}: { permissions: readonly Permission[]; roles: Readonly<Record<string, readonly string[]>> },
): Promise<void> {
	const codes = permissions.map((permission) => ({
		permission_code: permission.code,
		module: permission.module,
		action: permission.action,
		...describePermission(permission),
	}));
	const held = Object.entries(roles).map(([role_code, granted]) => ({ role_code, permissions: granted }));
	await db.query("select seed_access($1::jsonb, $2::jsonb)", [JSON.stringify(codes), JSON.stringify(held)]);
}

/** Creates or updates the local user with the first role, in one round trip (spec §5.11). */
export async function knowUser(
	db: Database,
	{
		tenantId,
		claims,
		firstRole,
		now,
	}: { tenantId: string; claims: PersonClaims; firstRole: string; now: Date },
): Promise<KnownUser> {
	const { subject, email, name, status, globalRoles, issuedAt, isHq, outletIds, outletId } = claims;
	const [row] = await db.query<UserRow>(
		`select user_id, user_status, issued_at, grants, is_hq, outlets
		   from know_user($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		[
			...[tenantId, subject, email, name, status, [...globalRoles], firstRole, issuedAt, now],
			...[isHq, outletIds === undefined ? null : [...outletIds], outletId ?? null],
		],
	);
	if (row === undefined) throw new Error("know_user returned nothing");
	return fromRow(row);
}

/** Returns a person known to this service, or undefined. */
export async function findUser(
	db: Database,
	{ tenantId, subject, now }: { tenantId: string; subject: string; now: Date },
): Promise<KnownUser | undefined> {
	const [row] = await db.query<UserRow>(
		"select user_id, user_status, issued_at, grants, is_hq, outlets from find_user($1, $2, $3)",
		[tenantId, subject, now],
	);
	return row && fromRow(row);
}

/** A role that can be assigned: one of the tenant's own, or a system role. */
export type AssignedRole = { id: string; isSystem: boolean };

export type Assignment = {
	userId: string;
	role: AssignedRole;
	outletId: string | null;
	assignedBy: string;
	expiresAt: Date | null;
};

/**
 * Assigns a role, which replaces the first role, or changes the end of an existing assignment. Returns the
 * assignment's id.
 */
export async function recordAssignment(
	db: Database,
	assignment: Assignment & { tenantId: string; now: Date },
): Promise<string> {
	const { tenantId, userId, role, outletId, assignedBy, expiresAt, now } = assignment;
	const [roleId, systemRoleId] = referencesOf(role);
	if (outletId === null)
		await db.query(
			`delete from user_role_assignments
			  where tenant_id = $1 and user_id = $2 and assigned_by is null and system_role_id is distinct from $3`,
			[tenantId, userId, systemRoleId],
		);
	const [row] = await db.query<{ id: string }>(
		`insert into user_role_assignments
		   (tenant_id, user_id, role_id, system_role_id, outlet_id, assigned_by, assigned_at, expires_at)
		 values ($1, $2, $3, $4, $5, $6, $7, $8)
		 on conflict on constraint user_role_assignments__unique do update
		    set assigned_by = excluded.assigned_by, assigned_at = excluded.assigned_at, expires_at = excluded.expires_at
		 returning id`,
		[tenantId, userId, roleId, systemRoleId, outletId, assignedBy, now, expiresAt],
	);
	if (row === undefined) throw new Error("recording an assignment returned nothing");
	return row.id;
}

/** Removes an assignment, except that of a first role. Returns whether it existed. */
export async function removeAssignment(
	db: Database,
	{
		tenantId,
		userId,
		role,
		outletId,
	}: { tenantId: string; userId: string; role: AssignedRole; outletId: string | null },
): Promise<boolean> {
	const rows = await db.query(
		`delete from user_role_assignments
		  where tenant_id = $1 and user_id = $2 and coalesce(role_id, system_role_id) = $3
		    and outlet_id is not distinct from $4 and assigned_by is not null
		 returning id`,
		[tenantId, userId, role.id, outletId],
	);
	return rows.length > 0;
}

const referencesOf = ({ id, isSystem }: AssignedRole) => (isSystem ? [null, id] : [id, null]);

function fromRow({ user_id, user_status, issued_at, grants, is_hq, outlets }: UserRow): KnownUser {
	const { assigned, active, in_tenant: inTenant, until } = outlets;
	return {
		userId: user_id,
		status: user_status,
		issuedAt: issued_at,
		grants: grants.map(({ role, outlet_id, expires_at, permissions }) => ({
			role,
			outletId: outlet_id,
			expiresAt: expires_at === null ? null : new Date(expires_at),
			permissions,
		})),
		isHq: is_hq,
		outlets: { assigned, active, inTenant, until: until === null ? null : new Date(until) },
	};
}
