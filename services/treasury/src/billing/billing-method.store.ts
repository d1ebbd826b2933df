import type { Database } from "@lango/postgres";

/** How a tenant's renewals are collected. */
export type BillingMethod = {
	/** `none`: somebody pays each bill. `push`: a phone is asked to pay. */
	kind: "none" | "push";
	phone: string | null;
	email: string | null;
	version: number;
};

const none: BillingMethod = { kind: "none", phone: null, email: null, version: 0 };

/** Returns how the tenant's renewals are collected. Call it inside the tenant. */
export async function findBillingMethod(tx: Database): Promise<BillingMethod> {
	const [row] = await tx.query<BillingMethod>("select kind, phone, email, version from billing_methods");
	return row ?? none;
}

/** Stores how the tenant's renewals are collected. Call it inside the tenant. */
export async function updateBillingMethod(
	tx: Database,
	tenantId: string,
	{ kind, phone, email }: Omit<BillingMethod, "version">,
): Promise<BillingMethod> {
	const [row] = await tx.query<BillingMethod>(
		`insert into billing_methods as m (tenant_id, kind, phone, email, version) values ($1, $2, $3, $4, 1)
		 on conflict (tenant_id) do update set kind = excluded.kind, phone = excluded.phone, email = excluded.email,
		   version = m.version + 1
		 returning kind, phone, email, version`,
		[tenantId, kind, phone, email],
	);
	if (row === undefined) throw new Error("the billing method was not stored");
	return row;
}
