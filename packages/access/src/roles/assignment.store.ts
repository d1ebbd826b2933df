import { type Database, type OutletFilter, ofTenant, withinOutlets } from "@lango/postgres";

/** An assignment of a role in a list. */
export type ListedAssignment = {
	id: string;
	tenantId: string;
	/** The person's id at the sign-on service. */
	subject: string;
	email: string;
	name: string;
	role: string;
	outletId: string | null;
	/** Null for a first role, which follows from the person's global roles. */
	assignedBy: string | null;
	assignedAt: Date;
	expiresAt: Date | null;
};

type AssignmentRow = {
	id: string;
	tenant_id: string;
	auth_service_user_id: string;
	email: string;
	name: string;
	role_code: string;
	outlet_id: string | null;
	assigned_by: string | null;
	assigned_at: Date;
	expires_at: Date | null;
};

export type AssignmentPage = {
	/** Undefined: the platform owner lists those of all tenants. */
	tenantId: string | undefined;
	role: string;
	/** Only assignments of this person. */
	subject: string | undefined;
	/** Only assignments of people whose name or e-mail address contains this text, case-insensitive. */
	search: string | undefined;
	outlets: OutletFilter;
	after: string | undefined;
	limit: number;
	now: Date;
};

/**
 * Whether an assignment is of the role of a code, with the tenant in `$1`. The ids are found first: each side
 * can use its index.
 */
const isOfRole = (tenantId: string | undefined, code: string) =>
	`${ofTenant(tenantId, "a.tenant_id", "$1")}
		    and (a.role_id = any(array(select id from roles r where r.role_code = ${code} and ${ofTenant(tenantId, "r.tenant_id", "$1")}))
		    or a.system_role_id = (select id from system_roles where role_code = ${code}))`;

const assignedRoles = `user_role_assignments a join users u on u.tenant_id = a.tenant_id and u.id = a.user_id
		   left join roles r on r.tenant_id = a.tenant_id and r.id = a.role_id
		   left join system_roles s on s.id = a.system_role_id`;

/** Lists current assignments of a role, of a tenant or of all, ordered by id. */
export async function listAssignments(db: Database, page: AssignmentPage): Promise<ListedAssignment[]> {
	const { tenantId, role, subject = null, search = null, outlets, after = null, limit, now } = page;
	const rows = await db.query<AssignmentRow>(
		`select a.id, a.tenant_id, u.auth_service_user_id, u.email, u.name, coalesce(r.role_code, s.role_code) as role_code, a.outlet_id, a.assigned_by,
		        a.assigned_at, a.expires_at
		   from ${assignedRoles}
		  where ${isOfRole(tenantId, "$8")} and (a.expires_at is null or a.expires_at > $2)
		    and ($3::uuid is null or u.auth_service_user_id = $3) and ($4::uuid is null or a.id > $4)
		    and ($7::text is null or strpos(lower(u.name || ' ' || u.email), lower($7)) > 0)
		    and ${withinOutlets("a.outlet_id", "$5")}
		  order by a.id
		  limit $6`,
		[tenantId ?? null, now, subject, after, outlets, limit, search, role],
	);
	return rows.map(fromRow);
}

/** Returns an assignment of a role, within these outlets. Call it inside the tenant. */
export async function findAssignment(
	db: Database,
	{ tenantId, id, role, outlets }: { tenantId: string; id: string; role: string; outlets: OutletFilter },
): Promise<ListedAssignment | undefined> {
	const [row] = await db.query<AssignmentRow>(
		`select a.id, a.tenant_id, u.auth_service_user_id, u.email, u.name, coalesce(r.role_code, s.role_code) as role_code, a.outlet_id, a.assigned_by,
		        a.assigned_at, a.expires_at
		   from ${assignedRoles}
		  where a.id = $4 and ${isOfRole(tenantId, "$2")} and ${withinOutlets("a.outlet_id", "$3")}`,
		[tenantId, role, outlets, id],
	);
	return row && fromRow(row);
}

/** Counts the assignments of a person, including ended ones. */
export async function countAssignments(
	tx: Database,
	{ tenantId, userId }: { tenantId: string; userId: string },
): Promise<number> {
	const [row] = await tx.query<{ held: number }>(
		"select count(*)::integer as held from user_role_assignments where tenant_id = $1 and user_id = $2",
		[tenantId, userId],
	);
	return row?.held ?? 0;
}

/**
 * Returns the permissions of a person's first role, unless it is the given role or another role is assigned.
 */
export async function permissionsOfFirstRole(
	tx: Database,
	{ tenantId, userId, otherThanRoleId }: { tenantId: string; userId: string; otherThanRoleId: string },
): Promise<string[]> {
	const rows = await tx.query<{ permission_code: string }>(
		`select p.permission_code from user_role_assignments a
		   join system_role_permissions rp on rp.role_id = a.system_role_id join permissions p on p.id = rp.permission_id
		  where a.tenant_id = $1 and a.user_id = $2 and a.assigned_by is null and a.system_role_id <> $3`,
		[tenantId, userId, otherThanRoleId],
	);
	return rows.map(({ permission_code }) => permission_code);
}

/** Restores the first role of a person without assigned roles. */
export async function restoreFirstRole(
	tx: Database,
	{ tenantId, userId, now }: { tenantId: string; userId: string; now: Date },
): Promise<void> {
	const [person] = await tx.query<{ status: string }>(
		"select status from users where tenant_id = $1 and id = $2",
		[tenantId, userId],
	);
	if (person?.status === "active")
		await tx.query("select give_first_role($1, $2, $3)", [tenantId, userId, now]);
}

/** Increments the version of a person's access and returns it. */
export async function countAccessChange(
	tx: Database,
	{ tenantId, userId }: { tenantId: string; userId: string },
): Promise<number> {
	const [row] = await tx.query<{ access_version: number }>(
		`update users set access_version = access_version + 1 where tenant_id = $1 and id = $2
		 returning access_version`,
		[tenantId, userId],
	);
	if (row === undefined) throw new Error("the person does not exist");
	return row.access_version;
}

function fromRow(row: AssignmentRow): ListedAssignment {
	const { id, email, name } = row;
	return {
		id,
		email,
		name,
		tenantId: row.tenant_id,
		subject: row.auth_service_user_id,
		role: row.role_code,
		outletId: row.outlet_id,
		assignedBy: row.assigned_by,
		assignedAt: row.assigned_at,
		expiresAt: row.expires_at,
	};
}
