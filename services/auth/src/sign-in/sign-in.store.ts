import type { Database } from "@lango/postgres";
import type { Standing } from "../token/standing.ts";
import { fromRow, type StandingRow } from "../token/standing-row.ts";

/** A person by address: the hash to check against, and their standing in the tenant they mean, when there is one. */
export async function findSignIn(
	db: Database,
	{ emailFolded, tenantSlug }: { emailFolded: string; tenantSlug: string },
): Promise<{ userId: string; passwordHash: string | undefined; standing: Standing | undefined } | undefined> {
	const [row] = await db.query<{ user_id: string; secret: string | null; standing: StandingRow | null }>(
		"select user_id, secret, standing from find_sign_in($1, $2)",
		[emailFolded, tenantSlug],
	);
	if (row === undefined) return undefined;
	const standing = row.standing === null ? undefined : fromRow(row.standing);
	return { userId: row.user_id, passwordHash: row.secret ?? undefined, standing };
}
