import { type Database, ofTenant } from "@lango/postgres";

/** A role with its permissions. */
export type Role = {
	id: string;
	/** Null for a system role. */
	tenantId: string | null;
	code: string;
	isSystem: boolean;
	description: string;
	permissions: readonly string[];
	version: number;
	createdAt: Date;
};

type RoleRow = {
	id: string;
	tenant_id: string | null;
	role_code: string;
	is_system_role: boolean;
	description: string;
	permissions: string[];
	version: number;
	created_at: Date;
};

/** Locks the roles, assignments and keys of a tenant until the transaction ends. */
export async function lockAccess(tx: Database, tenantId: string): Promise<void> {
	await tx.query("select pg_advisory_xact_lock(hashtext('access'), hashtext($1))", [tenantId]);
}

/** The system roles, and the roles of the tenant of `$1` or of all tenants. */
const visibleRoles = (tenantId: string | undefined) => `
	select r.id, r.tenant_id, r.role_code, false as is_system_role, r.description, r.version, r.created_at,
	       array(select p.permission_code from role_permissions rp join permissions p on p.id = rp.permission_id
	              where rp.tenant_id = ${tenantId === undefined ? "r.tenant_id" : "$1::uuid"} and rp.role_id = r.id order by p.permission_code) as permissions
	  from roles r where ${ofTenant(tenantId, "r.tenant_id", "$1")}
	union all
	select s.id, null, s.role_code, true, '', 1, s.created_at,
	       array(select p.permission_code from system_role_permissions sp join permissions p on p.id = sp.permission_id
	              where sp.role_id = s.id order by p.permission_code)
	  from system_roles s`;

export type RolePage = {
	/** Undefined: the platform owner lists the roles of all tenants. */
	tenantId: string | undefined;
	after: readonly [code: string, id: string] | undefined;
	limit: number;
};

/** Lists roles by code: the system roles and those of the tenant, or of all. */
export async function listRoles(db: Database, { tenantId, after, limit }: RolePage): Promise<Role[]> {
	const [code = null, id = null] = after ?? [];
	const rows = await db.query<RoleRow>(
		`select * from (${visibleRoles(tenantId)}) r
		  where $2::text is null or (r.role_code, r.id) > ($2, $3::uuid)
		  order by r.role_code, r.id
		  limit $4`,
		[tenantId ?? null, code, id, limit],
	);
	return rows.map(fromRow);
}

/**
 * Returns the role with this code: a system role, or else one of the tenant; undefined as its id: of any
 * tenant. Call it inside the tenant.
 */
export async function findRole(
	db: Database,
	tenantId: string | undefined,
	code: string,
): Promise<Role | undefined> {
	const [row] = await db.query<RoleRow>(
		`select * from (${visibleRoles(tenantId)}) r where r.role_code = $2 order by r.is_system_role desc limit 1`,
		[tenantId ?? null, code],
	);
	return row && fromRow(row);
}

/**
 * Inserts a role of a tenant, without permissions. Returns its id, or undefined if the tenant already has
 * `rolesMax` roles. Call it with the tenant's access locked.
 */
export async function recordRole(
	tx: Database,
	{
		tenantId,
		code,
		description,
		rolesMax,
	}: { tenantId: string; code: string; description: string; rolesMax: number },
): Promise<string | undefined> {
	const [counted] = await tx.query<{ roles: number }>(
		"select count(*)::integer as roles from roles where tenant_id = $1",
		[tenantId],
	);
	if (counted !== undefined && counted.roles >= rolesMax) return undefined;
	const [row] = await tx.query<{ id: string }>(
		"insert into roles (tenant_id, role_code, description) values ($1, $2, $3) returning id",
		[tenantId, code, description],
	);
	return row?.id;
}

/** Changes the description of a role and increments its version, which is returned. */
export async function changeRoleText(
	tx: Database,
	{ tenantId, id, description }: { tenantId: string; id: string; description: string },
): Promise<number> {
	const [row] = await tx.query<{ version: number }>(
		"update roles set description = $3, version = version + 1 where tenant_id = $1 and id = $2 returning version",
		[tenantId, id, description],
	);
	if (row === undefined) throw new Error("the role does not exist");
	return row.version;
}

/** Replaces the permissions of a role of a tenant. */
export async function setRolePermissions(
	tx: Database,
	{ tenantId, id, permissions }: { tenantId: string; id: string; permissions: readonly string[] },
): Promise<void> {
	await tx.query(
		`delete from role_permissions rp using permissions p
		  where rp.tenant_id = $3 and rp.role_id = $1 and p.id = rp.permission_id and p.permission_code <> all ($2::text[])`,
		[id, [...permissions], tenantId],
	);
	await tx.query(
		`insert into role_permissions (tenant_id, role_id, permission_id)
		 select $3, $1, id from permissions where permission_code = any ($2::text[])
		 on conflict do nothing`,
		[id, [...permissions], tenantId],
	);
}

/** Removes a role and its ended assignments. Returns false if the role is still assigned. */
export async function removeRole(
	tx: Database,
	{ tenantId, id, now }: { tenantId: string; id: string; now: Date },
): Promise<boolean> {
	await tx.query(
		"delete from user_role_assignments where tenant_id = $1 and role_id = $2 and expires_at <= $3",
		[tenantId, id, now],
	);
	const rows = await tx.query(
		`delete from roles where tenant_id = $1 and id = $2
		    and not exists (select from user_role_assignments where tenant_id = $1 and role_id = $2)
		 returning id`,
		[tenantId, id],
	);
	return rows.length > 0;
}

/**
 * Whether an active person has a permission in the whole tenant without an end. Call it inside the tenant.
 */
export async function isPermanentlyAssigned(
	tx: Database,
	tenantId: string,
	permission: string,
): Promise<boolean> {
	const rows = await tx.query(
		`select from user_role_assignments a
		   join users u on u.tenant_id = a.tenant_id and u.id = a.user_id and u.status = 'active'
		   join permissions p on p.permission_code = $2
		   left join role_permissions rp
		     on rp.tenant_id = a.tenant_id and rp.role_id = a.role_id and rp.permission_id = p.id
		   left join system_role_permissions sp on sp.role_id = a.system_role_id and sp.permission_id = p.id
		  where a.tenant_id = $1 and a.outlet_id is null and a.expires_at is null
		    and (rp.role_id is not null or sp.role_id is not null)
		  limit 1`,
		[tenantId, permission],
	);
	return rows.length > 0;
}

function fromRow({ tenant_id, role_code, is_system_role, created_at, ...row }: RoleRow): Role {
	return {
		...row,
		tenantId: tenant_id,
		code: role_code,
		isSystem: is_system_role,
		createdAt: created_at,
	};
}
