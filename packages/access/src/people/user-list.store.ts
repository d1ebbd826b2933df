import { type Database, ofTenant } from "@lango/postgres";

/** A person known to the service, with their roles. */
export type ListedUser = {
	id: string;
	tenantId: string;
	/** The person's id at the sign-on service. */
	subject: string;
	email: string;
	name: string;
	status: string;
	globalRoles: readonly string[];
	roles: ReadonlyArray<{ role: string; outlet_id: string | null; expires_at: string | null }>;
};

export type UserPage = {
	/** Undefined: the platform owner lists the people of all tenants. */
	tenantId: string | undefined;
	/** Only the person with this e-mail address, case-insensitive. */
	email: string | undefined;
	/** A part of a name or an e-mail address, case-insensitive. */
	search?: string | undefined;
	after: readonly [email: string, id: string] | undefined;
	limit: number;
	now: Date;
};

/** Lists people of a tenant or of all, by e-mail address, without erased and removed ones. */
export async function listUsers(db: Database, page: UserPage): Promise<ListedUser[]> {
	const { tenantId, email = null, search = null, after, limit, now } = page;
	const [afterEmail = null, afterId = null] = after ?? [];
	const rows = await db.query<{
		id: string;
		tenant_id: string;
		auth_service_user_id: string;
		email: string;
		name: string;
		status: string;
		global_roles: string[];
		roles: ListedUser["roles"];
	}>(
		`select u.id, u.tenant_id, u.auth_service_user_id, u.email, u.name, u.status, u.global_roles,
		        coalesce(
		          (select jsonb_agg(jsonb_build_object('role', coalesce(r.role_code, s.role_code), 'outlet_id', a.outlet_id,
		                                               'expires_at', a.expires_at)
		                            order by coalesce(r.role_code, s.role_code), a.id)
		             from user_role_assignments a
		             left join roles r on r.tenant_id = a.tenant_id and r.id = a.role_id
		             left join system_roles s on s.id = a.system_role_id
		            where a.tenant_id = ${tenantId === undefined ? "u.tenant_id" : "$7::uuid"} and a.user_id = u.id and (a.expires_at is null or a.expires_at > $1)), '[]') as roles
		   from users u
		  where ${ofTenant(tenantId, "u.tenant_id", "$7")} and u.status not in ('deleted', 'removed') and ($2::text is null or lower(u.email) = lower($2))
		    and ($6::text is null or strpos(lower(u.name || ' ' || u.email), lower($6)) > 0)
		    and ($3::text is null or (u.email, u.id) > ($3, $4::uuid))
		  order by u.email, u.id
		  limit $5`,
		[now, email, afterEmail, afterId, limit, search, tenantId ?? null],
	);
	return rows.map(({ tenant_id, auth_service_user_id, global_roles, ...row }) => ({
		...row,
		tenantId: tenant_id,
		subject: auth_service_user_id,
		globalRoles: global_roles,
	}));
}
