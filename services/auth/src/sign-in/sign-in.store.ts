import type { Database } from "@lango/postgres";
import type { MembershipState } from "../memberships/membership-state.ts";
import { fromRow, type MembershipStateRow } from "../memberships/membership-state-row.ts";

/**
 * A person by address: the hash to check against, and their membership in the tenant named, or else in the
 * primary one.
 */
export async function findSignIn(
	db: Database,
	{ emailFolded, tenantSlug }: { emailFolded: string; tenantSlug: string },
): Promise<
	| { userId: string; passwordHash: string | undefined; membershipState: MembershipState | undefined }
	| undefined
> {
	const [row] = await db.query<{
		user_id: string;
		secret: string | null;
		membership_state: MembershipStateRow | null;
	}>("select user_id, secret, membership_state from find_sign_in($1, $2)", [emailFolded, tenantSlug]);
	if (row === undefined) return undefined;
	const membershipState = row.membership_state === null ? undefined : fromRow(row.membership_state);
	return { userId: row.user_id, passwordHash: row.secret ?? undefined, membershipState };
}

/**
 * Locks and checks the conditions of a sign-in until the transaction ends: tenant, user and password hash,
 * in this order. Every change of a membership locks its tenant and user first, so the membership cannot
 * change either. Returns the current membership state; undefined if the hash has changed or the user may no
 * longer sign in. A concurrent change that ends sessions waits for the lock and then ends the new session,
 * too.
 *
 * On a cluster the lock is one on every node only if the statement has no table of tenants, and the last
 * table of `from` needs the strongest lock: a shared one would become stronger, and two of them deadlock.
 */
export async function lockSignIn(
	tx: Database,
	{ userId, tenantId, proved }: { userId: string; tenantId: string; proved: string },
): Promise<MembershipState | undefined> {
	const locked = await tx.query(
		`select 1 from tenants t, credentials c, users u
		  where t.id = $1 and u.id = $2 and u.status in ('active', 'pending', 'pending_review')
		    and c.user_id = u.id and c.kind = 'password' and c.secret = $3
		    for share of t for no key update of u for share of c`,
		[tenantId, userId, proved],
	);
	if (locked.length === 0) return undefined;
	// A separate statement: the one above may have waited for a lock and then has an older snapshot.
	const [row] = await tx.query<{ membership_state: MembershipStateRow }>(
		"select membership_state_of($1, $2) as membership_state",
		[userId, tenantId],
	);
	const membershipState = row && fromRow(row.membership_state);
	return membershipState?.membership === null ? undefined : membershipState;
}
