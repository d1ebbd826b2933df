import type { Database } from "@lango/postgres";

export type NewUser = {
	email: string;
	emailFolded: string;
	name: string;
	passwordHash: string;
	primaryTenantId: string;
	selectedPlan: string | null;
};

/**
 * Records a person with their password. The database refuses an address that is taken
 * (`users__email_unique`).
 */
export async function recordUser(tx: Database, user: NewUser): Promise<string> {
	const [row] = await tx.query<{ id: string }>(
		`with added as (
		   insert into users (email, email_folded, name, primary_tenant_id, selected_plan) values ($1, $2, $3, $4, $5) returning id
		 ), secured as (
		   insert into credentials (user_id, kind, secret) select id, 'password', $6 from added
		 )
		 select id from added`,
		[user.email, user.emailFolded, user.name, user.primaryTenantId, user.selectedPlan, user.passwordHash],
	);
	if (row === undefined) throw new Error("recording a person returned no row");
	return row.id;
}

/** Whether an address is registered. */
export async function isEmailTaken(db: Database, emailFolded: string): Promise<boolean> {
	const rows = await db.query("select 1 from users where email_folded = $1", [emailFolded]);
	return rows.length > 0;
}
