import { type Database, inTenant } from "@lango/postgres";

/** A person as an event tells that they stand in the tenant at hand. */
export type ToldPerson = {
	subject: string;
	email: string;
	name: string;
	status: string;
	globalRoles: readonly string[];
	firstRole: string;
	version: number;
	/** Bound to no outlet. */
	isHq: boolean;
	/** All outlets assigned to the person, sorted. */
	outletIds: readonly string[];
	/** Tokens issued before this moment say nothing new. */
	toldUntil: Date;
	now: Date;
};

/** Brings up to date a person whom this service has met, unless something newer was told. Call it inside the tenant. */
export async function changeToldPerson(tx: Database, person: ToldPerson): Promise<void> {
	const { subject, email, name, status, globalRoles, firstRole, version, toldUntil, now } = person;
	await tx.query("select hear_user($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)", [
		subject,
		email,
		name,
		status,
		[...globalRoles],
		firstRole,
		version,
		toldUntil,
		now,
		person.isHq,
		[...person.outletIds],
	]);
}

/** Shuts a person out in every tenant. */
export async function disablePerson(
	db: Database,
	{ subject, version, toldUntil, now }: Pick<ToldPerson, "subject" | "version" | "toldUntil" | "now">,
): Promise<void> {
	await db.query("select disable_user($1, $2, $3, $4)", [subject, version, toldUntil, now]);
}

/** Removes what is personal of a person from every tenant, for ever. */
export async function erasePerson(
	db: Database,
	{ subject, version, now }: Pick<ToldPerson, "subject" | "version" | "now">,
): Promise<void> {
	await db.query("select erase_user($1, $2, $3)", [subject, version, now]);
}

/**
 * The global roles of a person, when an event told them after a token of that moment was issued; undefined when the token
 * is the newest that is known. Read from the table each time: an event that was applied counts at once.
 */
export async function findOvertakingRoles(
	db: Database,
	{ tenantId, subject, issuedAt }: { tenantId: string; subject: string; issuedAt: Date },
): Promise<readonly string[] | undefined> {
	const [row] = await inTenant(db, tenantId, (tx) =>
		tx.query<{ global_roles: string[] }>(
			`select global_roles from users
			  where tenant_id = $1 and auth_service_user_id = $2 and told_until > $3`,
			[tenantId, subject, issuedAt],
		),
	);
	return row?.global_roles;
}
