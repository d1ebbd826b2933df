import type { Database } from "@lango/postgres";

/** Whose a slug is or was; undefined when nobody's. */
export async function findSlugOwner(db: Database, slug: string): Promise<string | undefined> {
	const [row] = await db.query<{ id: string | null }>("select find_slug_owner($1) as id", [slug]);
	return row?.id ?? undefined;
}

/** The operator vouches for the address of a person recorded before: nobody is there yet to send a link. */
export async function markEmailVerified(tx: Database, userId: string): Promise<void> {
	await tx.query("update users set email_verified = true where id = $1", [userId]);
}
