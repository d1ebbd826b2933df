import type { Database } from "@lango/postgres";

/** A person as in the events of the sign-on service. */
export type CustomerPerson = { tenantId: string; subject: string; name: string; email: string; now: Date };

/** Creates a profile. Does nothing if the profile exists or was erased, or if the tenant is deleted. */
export async function recordCustomer(tx: Database, customer: CustomerPerson): Promise<void> {
	const { tenantId, subject, name, email, now } = customer;
	await tx.query(
		`insert into customers (tenant_id, auth_service_user_id, name, email, created_at)
		 select id, $2, $3, $4, $5 from tenants where id = $1 and deleted_at is null
		 on conflict on constraint customers__person_unique do nothing`,
		[tenantId, subject, name, email, now],
	);
}

/** Returns the id of a person's profile, and creates the profile if no event has created it yet. */
export async function ensureCustomer(tx: Database, customer: CustomerPerson): Promise<string> {
	const find = async () => {
		const [row] = await tx.query<{ id: string }>("select id from customers where auth_service_user_id = $1", [
			customer.subject,
		]);
		return row?.id;
	};
	const known = await find();
	if (known !== undefined) return known;
	await recordCustomer(tx, customer);
	const made = await find();
	if (made === undefined) throw new Error("the profile is missing after it was recorded");
	return made;
}

/** Records the time of a person's sign-in. */
export async function recordSignIn(
	tx: Database,
	{ subject, at }: { subject: string; at: Date },
): Promise<void> {
	await tx.query(
		`update customers set signed_in_at = greatest(signed_in_at, $2)
		  where auth_service_user_id = $1 and erased_at is null`,
		[subject, at],
	);
}

/** Updates a profile. Does nothing if it does not exist or was erased. */
export async function changeCustomer(
	tx: Database,
	{ subject, name, email }: Pick<CustomerPerson, "subject" | "name" | "email">,
): Promise<void> {
	await tx.query(
		"update customers set name = $2, email = $3 where auth_service_user_id = $1 and erased_at is null",
		[subject, name, email],
	);
}

/** Removes a person's personal data from their profiles in all tenants. */
export async function eraseCustomer(
	db: Database,
	{ subject, now }: { subject: string; now: Date },
): Promise<void> {
	await db.query("select erase_customer($1, $2)", [subject, now]);
}
