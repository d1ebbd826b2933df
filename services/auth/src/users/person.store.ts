import type { Language, Theme } from "@lango/contracts";
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
	locale: Language | null;
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
	locale: Language | null;
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
	locale: row.locale,
});

/** A person by their id. */
export async function findPerson(db: Database, userId: string): Promise<Person | undefined> {
	const [row] = await db.query<PersonRow>(
		`select id, email, email_folded, email_verified, name, status, selected_plan, primary_tenant_id, locale
		   from users where id = $1`,
		[userId],
	);
	return row && fromRow(row);
}

/** A person by their current address. */
export async function findPersonByEmail(db: Database, emailFolded: string): Promise<Person | undefined> {
	const [row] = await db.query<PersonRow>(
		`select id, email, email_folded, email_verified, name, status, selected_plan, primary_tenant_id, locale
		   from users where email_folded = $1`,
		[emailFolded],
	);
	return row && fromRow(row);
}

/**
 * Locks a person by their id until the transaction ends. Call it before changing dependent rows; this order
 * avoids deadlocks.
 */
export async function lockPerson(tx: Database, userId: string): Promise<Person | undefined> {
	const [row] = await tx.query<PersonRow>(
		`select id, email, email_folded, email_verified, name, status, selected_plan, primary_tenant_id, locale
		   from users where id = $1 for no key update`,
		[userId],
	);
	return row && fromRow(row);
}

/** Makes a tenant the person's primary one if they have none. */
export async function adoptPrimaryTenant(
	tx: Database,
	{ userId, tenantId }: { userId: string; tenantId: string },
): Promise<void> {
	await tx.query("update users set primary_tenant_id = $2 where id = $1 and primary_tenant_id is null", [
		userId,
		tenantId,
	]);
}

/**
 * Replaces the primary tenant of a person who leaves it by another of their tenants, or by null. Call it
 * before the membership is removed.
 */
export async function repointPrimaryTenant(
	tx: Database,
	{ userId, tenantId }: { userId: string; tenantId: string },
): Promise<void> {
	await tx.query("select repoint_primary_tenant($1, $2)", [userId, tenantId]);
}

/** Marks an address as verified; false if it was verified before or no longer belongs to the person. */
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

/** Changes the chosen language and theme of a person; what is left out stays. */
export async function changeLook(
	tx: Database,
	{ userId, ...change }: { userId: string; locale?: Language | null; theme?: Theme | null },
): Promise<void> {
	await tx.query(
		`update users set locale = case when $2::jsonb ? 'locale' then $2::jsonb->>'locale' else locale end,
		   theme = case when $2::jsonb ? 'theme' then $2::jsonb->>'theme' else theme end where id = $1`,
		[userId, JSON.stringify(change)],
	);
}
