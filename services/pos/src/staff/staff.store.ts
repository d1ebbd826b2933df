import type { Database, OutletFilter } from "@lango/postgres";

/** A person who may sign in at the tills of an outlet. */
export type PinProfile = { subject: string; name: string; role: string };

/**
 * Lists active people with a role and a valid PIN at the outlet, in the order of their ids. Call it inside
 * the tenant.
 */
export async function listPinProfiles(
	tx: Database,
	{ outletId, after, limit, now }: { outletId: string; after: string | undefined; limit: number; now: Date },
): Promise<PinProfile[]> {
	return tx.query<PinProfile>(
		`select u.auth_service_user_id as subject, u.name, held.line ->> 'role' as role
		   from pins p
		   join users u on u.id = p.user_id and u.status = 'active'
		  cross join lateral (
		        select line from jsonb_array_elements(grants_of(u.tenant_id, u.id, $4)) with ordinality as g (line, place)
		         where line ->> 'outlet_id' is null or (line ->> 'outlet_id')::uuid = $1
		         order by place limit 1) as held
		  where (p.outlet_id is null or p.outlet_id = $1) and ($2::uuid is null or u.auth_service_user_id > $2)
		  order by u.auth_service_user_id limit $3`,
		[outletId, after ?? null, limit, now],
	);
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
	{
		outlets,
		after,
		limit,
		now,
	}: { outlets: OutletFilter; after: string | undefined; limit: number; now: Date },
): Promise<StaffMember[]> {
	const rows = await tx.query<StaffRow>(
		`select u.id, u.tenant_id, u.auth_service_user_id, u.name, u.status, p.user_id is not null as has_pin, p.outlet_id
		   from users u left join pins p on p.user_id = u.id
		  where u.status not in ('deleted', 'removed') and ($2::uuid is null or u.id > $2)
		    and ($1::uuid[] is null
		         or ((p.outlet_id is null or p.outlet_id = any ($1))
		             and exists (select from user_role_assignments a
		                          where a.user_id = u.id and (a.outlet_id is null or a.outlet_id = any ($1))
		                            and (a.expires_at is null or a.expires_at > $4))))
		  order by u.id limit $3`,
		[outlets, after ?? null, limit, now],
	);
	return rows.map(({ tenant_id, auth_service_user_id, has_pin, outlet_id, ...row }) => ({
		...row,
		tenantId: tenant_id,
		subject: auth_service_user_id,
		hasPin: has_pin,
		outletId: outlet_id,
	}));
}
