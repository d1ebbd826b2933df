import type { Database } from "@lango/postgres";

/** Stores a logo; content that is stored already stays as it is. Call it inside the tenant. */
export async function recordLogo(
	tx: Database,
	{ tenantId, id, content, now }: { tenantId: string; id: string; content: Buffer; now: Date },
): Promise<void> {
	await tx.query(
		"insert into tenant_logos (tenant_id, id, content, created_at) values ($1, $2, $3, $4) on conflict do nothing",
		[tenantId, id, content, now],
	);
}

/** The content of a logo. Call it inside the tenant. */
export async function findLogo(
	tx: Database,
	{ tenantId, id }: { tenantId: string; id: string },
): Promise<Buffer | undefined> {
	const [row] = await tx.query<{ content: Buffer }>(
		"select content from tenant_logos where tenant_id = $1 and id = $2",
		[tenantId, id],
	);
	return row?.content;
}

/** Removes the tenant's logos, except those named. Call it inside the tenant. */
export async function removeLogos(
	tx: Database,
	{ tenantId, except = [] }: { tenantId: string; except?: readonly string[] },
): Promise<void> {
	await tx.query("delete from tenant_logos where tenant_id = $1 and id <> all ($2::text[])", [
		tenantId,
		except,
	]);
}
