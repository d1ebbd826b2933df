import type { Database } from "@lango/postgres";
import type { Standing } from "../memberships/standing.ts";
import { fromRow, type StandingRow } from "../memberships/standing-row.ts";

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

/**
 * Looks again at what a sign-in rests on, and holds it until the transaction ends: tenant, person, membership and the hash that was
 * proved, in this order. Answers how the person stands now; undefined when the hash is another, or they may not enter any
 * more. Whoever changes one of these and then ends sessions waits, and ends the new one too.
 */
export async function holdSignIn(
	tx: Database,
	{ userId, tenantId, proved }: { userId: string; tenantId: string; proved: string },
): Promise<Standing | undefined> {
	const held = await tx.query(
		`select 1 from tenants t, users u, memberships m, credentials c
		  where t.id = $1 and u.id = $2 and u.status in ('active', 'pending', 'pending_review')
		    and m.tenant_id = t.id and m.user_id = u.id and m.status <> 'removed'
		    and c.user_id = u.id and c.kind = 'password' and c.secret = $3
		    for share of t, u, m, c`,
		[tenantId, userId, proved],
	);
	if (held.length === 0) return undefined;
	// A look of its own: the one above may have waited, and sees the rest as it was before.
	const [row] = await tx.query<{ standing: StandingRow }>("select standing_of($1, $2) as standing", [
		userId,
		tenantId,
	]);
	return row && fromRow(row.standing);
}
