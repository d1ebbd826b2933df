import type { Database } from "@lango/postgres";

/** The id of the tenant that has or had a slug; undefined if the slug is unused. */
export async function findSlugOwner(db: Database, slug: string): Promise<string | undefined> {
	const [row] = await db.query<{ id: string | null }>("select find_slug_owner($1) as id", [slug]);
	return row?.id ?? undefined;
}

/** Marks an address as verified because the operator entered it: no mail can be sent yet. */
export async function markEmailVerified(tx: Database, userId: string): Promise<void> {
	await tx.query("update users set email_verified = true where id = $1", [userId]);
}
