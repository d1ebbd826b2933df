import type { Database } from "@lango/postgres";

/** Returns the id of the tenant of a link: the one that it names, else the one with its slug now. */
export async function findTenantOfLink(
	db: Database,
	{ tenantId, slug }: { tenantId: string; slug: string },
): Promise<string | undefined> {
	const [row] = await db.query<{ id: string }>(
		"select id from tenants where id = $1 or slug = $2 order by id <> $1 limit 1",
		[tenantId, slug],
	);
	return row?.id;
}

/** Returns the name of a tenant; undefined if it is not known or deleted. Call it inside the tenant. */
export async function findSender(tx: Database, tenantId: string): Promise<string | undefined> {
	const [row] = await tx.query<{ name: string }>(
		"select name from tenants where id = $1 and deleted_at is null",
		[tenantId],
	);
	return row?.name;
}

/**
 * Returns how an address was shown in a delivery; empty if no delivery is left. Call it inside the tenant.
 */
export async function findMasked(
	tx: Database,
	{ tenantId, addressKey }: { tenantId: string; addressKey: Buffer },
): Promise<string> {
	const [row] = await tx.query<{ address_masked: string }>(
		`select address_masked from message_deliveries where tenant_id = $1 and address_key = $2
		  order by created_at desc limit 1`,
		[tenantId, addressKey],
	);
	return row?.address_masked ?? "";
}
