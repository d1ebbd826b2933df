import type { Database } from "@lango/postgres";

/** A person as the sign-on service tells of them. */
export type ToldCustomer = { tenantId: string; subject: string; name: string; email: string; now: Date };

/** Makes a profile where there is none; one that is there, or was erased, stays. Not for a tenant that is deleted. */
export async function recordCustomer(tx: Database, customer: ToldCustomer): Promise<void> {
	const { tenantId, subject, name, email, now } = customer;
	await tx.query(
		`insert into customers (tenant_id, auth_service_user_id, name, email, created_at)
		 select id, $2, $3, $4, $5 from tenants where id = $1 and deleted_at is null
		 on conflict on constraint customers__person_unique do nothing`,
		[tenantId, subject, name, email, now],
	);
}

/** The profile of a person who orders, made where no event told of them yet. */
export async function knowCustomer(tx: Database, customer: ToldCustomer): Promise<string> {
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
	if (made === undefined) throw new Error("a profile that was made is there");
	return made;
}

/** Notes that a person signed in. */
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

/** Brings a profile up to date; one that is not there, or was erased, stays so. */
export async function changeCustomer(
	tx: Database,
	{ subject, name, email }: Pick<ToldCustomer, "subject" | "name" | "email">,
): Promise<void> {
	await tx.query(
		"update customers set name = $2, email = $3 where auth_service_user_id = $1 and erased_at is null",
		[subject, name, email],
	);
}

/** Removes what is personal of a person from the profiles in every tenant. */
export async function eraseCustomer(
	db: Database,
	{ subject, now }: { subject: string; now: Date },
): Promise<void> {
	await db.query("select erase_customer($1, $2)", [subject, now]);
}
