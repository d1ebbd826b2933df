import type { Database } from "@lango/postgres";

export type Person = {
	id: string;
	email: string;
	emailFolded: string;
	emailVerified: boolean;
	name: string;
	status: string;
	selectedPlan: string | null;
	primaryTenantId: string | null;
};

type PersonRow = {
	id: string;
	email: string;
	email_folded: string;
	email_verified: boolean;
	name: string;
	status: string;
	selected_plan: string | null;
	primary_tenant_id: string | null;
};

const fromRow = (row: PersonRow): Person => ({
	id: row.id,
	email: row.email,
	emailFolded: row.email_folded,
	emailVerified: row.email_verified,
	name: row.name,
	status: row.status,
	selectedPlan: row.selected_plan,
	primaryTenantId: row.primary_tenant_id,
});

/** A person by their id. */
export async function findPerson(db: Database, userId: string): Promise<Person | undefined> {
	const [row] = await db.query<PersonRow>(
		`select id, email, email_folded, email_verified, name, status, selected_plan, primary_tenant_id
		   from users where id = $1`,
		[userId],
	);
	return row && fromRow(row);
}

/** A person by the address they have. */
export async function findPersonByEmail(db: Database, emailFolded: string): Promise<Person | undefined> {
	const [row] = await db.query<PersonRow>(
		`select id, email, email_folded, email_verified, name, status, selected_plan, primary_tenant_id
		   from users where email_folded = $1`,
		[emailFolded],
	);
	return row && fromRow(row);
}

/**
 * A person by their id, held against other changes until the transaction ends. Call it before what hangs on them is touched: the
 * person first, so that no two wait for each other.
 */
export async function lockPerson(tx: Database, userId: string): Promise<Person | undefined> {
	const [row] = await tx.query<PersonRow>(
		`select id, email, email_folded, email_verified, name, status, selected_plan, primary_tenant_id
		   from users where id = $1 for no key update`,
		[userId],
	);
	return row && fromRow(row);
}

/** Makes a tenant the person's primary one when they have none. */
export async function adoptPrimaryTenant(
	tx: Database,
	{ userId, tenantId }: { userId: string; tenantId: string },
): Promise<void> {
	await tx.query("update users set primary_tenant_id = $2 where id = $1 and primary_tenant_id is null", [
		userId,
		tenantId,
	]);
}

/** Gives a person whose primary tenant is none of theirs any more another of theirs, or none. */
export async function repointPrimaryTenant(tx: Database, userId: string): Promise<void> {
	await tx.query("select repoint_primary_tenant($1)", [userId]);
}

/** Notes that an address was proved; false when it was before, or is not the person's any more. */
export async function verifyEmail(
	tx: Database,
	{ userId, email }: { userId: string; email: string },
): Promise<boolean> {
	const rows = await tx.query(
		"update users set email_verified = true where id = $1 and email = $2 and not email_verified returning 1",
		[userId, email],
	);
	return rows.length > 0;
}
