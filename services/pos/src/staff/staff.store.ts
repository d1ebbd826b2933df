import { type Database, ofTenant } from "@lango/postgres";
import type { ListPage } from "../outlets/outlet.store.ts";

/** A person who may sign in at the tills of an outlet. */
export type PinProfile = { subject: string; name: string; role: string };

export type ProfilePage = {
	tenantId: string;
	outletId: string;
	after: string | undefined;
	limit: number;
	now: Date;
};

/**
 * Lists active people with a role and a valid PIN at the outlet, in the order of their ids. Call it inside
 * the tenant.
 */
export async function listPinProfiles(
	tx: Database,
	{ tenantId, outletId, after, limit, now }: ProfilePage,
): Promise<PinProfile[]> {
	const people = await tx.query<{ id: string; subject: string; name: string }>(
		`select u.id, u.auth_service_user_id as subject, u.name
		   from pins p
		   join users u on u.tenant_id = p.tenant_id and u.id = p.user_id and u.status = 'active'
		  where p.tenant_id = $1 and (p.outlet_id is null or p.outlet_id = $2)
		    and exists (select from user_role_assignments a
		                 where a.tenant_id = u.tenant_id and a.user_id = u.id
		                   and (a.outlet_id is null or a.outlet_id = $2)
		                   and (a.expires_at is null or a.expires_at > $5))
		    and ($3::uuid is null or u.auth_service_user_id > $3)
		  order by u.auth_service_user_id limit $4`,
		[tenantId, outletId, after ?? null, limit, now],
	);
	const roles = await tx.query<{ id: string; role: string | null }>(
		`select one as id,
		        (select line ->> 'role'
		           from jsonb_array_elements(grants_of($1, one, $4)) with ordinality as g (line, place)
		          where line ->> 'outlet_id' is null or (line ->> 'outlet_id')::uuid = $2
		          order by place limit 1) as role
		   from unnest($3::uuid[]) as one`,
		[tenantId, outletId, people.map(({ id }) => id), now],
	);
	const roleOf = new Map(roles.map(({ id, role }) => [id, role]));
	return people.flatMap(({ id, subject, name }) => {
		const role = roleOf.get(id);
		return typeof role === "string" ? [{ subject, name, role }] : [];
	});
}

/** A person known to this service. */
export type StaffMember = {
	id: string;
	tenantId: string;
	subject: string;
	name: string;
	status: string;
	hasPin: boolean;
	/** The outlet where the PIN is valid; null: every outlet, or no PIN. */
	outletId: string | null;
};

type StaffRow = {
	id: string;
	tenant_id: string;
	auth_service_user_id: string;
	name: string;
	status: string;
	has_pin: boolean;
	outlet_id: string | null;
};

/**
 * Lists people known to this service and not erased, in the order of their local ids. With `outlets`, only
 * people who may work at one of them: their role is for the whole tenant or there, and their PIN, if any, is
 * valid there. Call it inside a tenant or across tenants.
 */
export async function listStaff(
	tx: Database,
	{ tenantId, outlets, after, limit, now }: ListPage & { now: Date },
): Promise<StaffMember[]> {
	const rows = await tx.query<StaffRow>(
		`select u.id, u.tenant_id, u.auth_service_user_id, u.name, u.status, p.user_id is not null as has_pin, p.outlet_id
		   from users u left join pins p on p.tenant_id = u.tenant_id and p.user_id = u.id
		  where u.status not in ('deleted', 'removed') and ($2::uuid is null or u.id > $2)
		    and ($1::uuid[] is null
		         or ((p.outlet_id is null or p.outlet_id = any ($1))
		             and exists (select from user_role_assignments a
		                          where a.tenant_id = u.tenant_id and a.user_id = u.id and (a.outlet_id is null or a.outlet_id = any ($1))
		                            and (a.expires_at is null or a.expires_at > $4))))
		    and ${ofTenant(tenantId, "u.tenant_id", "$5")}
		  order by u.id limit $3`,
		[outlets, after ?? null, limit, now, tenantId ?? null],
	);
	return rows.map(({ tenant_id, auth_service_user_id, has_pin, outlet_id, ...row }) => ({
		...row,
		tenantId: tenant_id,
		subject: auth_service_user_id,
		hasPin: has_pin,
		outletId: outlet_id,
	}));
}
