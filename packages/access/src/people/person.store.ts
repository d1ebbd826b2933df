import { type Database, inTenant } from "@lango/postgres";

/** The state of a person in the current tenant, from an event. */
export type PersonFromEvent = {
	subject: string;
	email: string;
	name: string;
	status: string;
	globalRoles: readonly string[];
	firstRole: string;
	version: number;
	/** Not limited to outlets. */
	isHq: boolean;
	/** All outlets assigned to the person, sorted. */
	outletIds: readonly string[];
	/** Tokens issued before this time are outdated. */
	outdatedUntil: Date;
	now: Date;
};

/** Updates a known person, unless something newer was received. Call it inside the tenant. */
export async function changePersonFromEvent(tx: Database, person: PersonFromEvent): Promise<void> {
	const { subject, email, name, status, globalRoles, firstRole, version, outdatedUntil, now } = person;
	await tx.query("select apply_user_event($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)", [
		subject,
		email,
		name,
		status,
		[...globalRoles],
		firstRole,
		version,
		outdatedUntil,
		now,
		person.isHq,
		[...person.outletIds],
	]);
}

/** Disables a person in every tenant. */
export async function disablePerson(
	db: Database,
	{
		subject,
		version,
		outdatedUntil,
		now,
	}: Pick<PersonFromEvent, "subject" | "version" | "outdatedUntil" | "now">,
): Promise<void> {
	await db.query("select disable_user($1, $2, $3, $4)", [subject, version, outdatedUntil, now]);
}

/** Erases the personal data of a person in every tenant. */
export async function erasePerson(
	db: Database,
	{ subject, version, now }: Pick<PersonFromEvent, "subject" | "version" | "now">,
): Promise<void> {
	await db.query("select erase_user($1, $2, $3)", [subject, version, now]);
}

/**
 * Returns the global roles of a person if an event is newer than a token of the given time; otherwise
 * undefined. Reads the table each time, so an applied event takes effect immediately.
 */
export async function findNewerRoles(
	db: Database,
	{ tenantId, subject, issuedAt }: { tenantId: string; subject: string; issuedAt: Date },
): Promise<readonly string[] | undefined> {
	const [row] = await inTenant(db, tenantId, (tx) =>
		tx.query<{ global_roles: string[] }>(
			`select global_roles from users
			  where tenant_id = $1 and auth_service_user_id = $2 and ignore_tokens_before > $3`,
			[tenantId, subject, issuedAt],
		),
	);
	return row?.global_roles;
}
