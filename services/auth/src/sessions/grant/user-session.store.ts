import { type Place, pageOf } from "@lango/chassis";
import type { OwnSession } from "@lango/contracts";
import type { Database } from "@lango/postgres";
import { placeOf } from "../../paging/place-of.ts";
import { fromRevokedRow, type Revoked, type RevokedRow } from "./session.store.ts";

/**
 * Ends the browser sessions of a person, but the one the excepted session hangs on; returns the tenants with
 * live sessions of the person.
 */
export async function endUserBrowsers(
	tx: Database,
	{ userId, exceptSessionId, now }: { userId: string; exceptSessionId: string | undefined; now: Date },
): Promise<string[]> {
	const rows = await tx.query<{ id: string }>("select id from end_user_browsers($1, $2, $3) as id", [
		userId,
		exceptSessionId ?? null,
		now,
	]);
	return rows.map(({ id }) => id);
}

/** The tenants with live sessions of a client, by the id of its row. */
export async function listTenantsOfClient(
	tx: Database,
	{ id, now }: { id: string; now: Date },
): Promise<string[]> {
	const rows = await tx.query<{ id: string }>("select id from list_tenants_of_client($1, $2) as id", [
		id,
		now,
	]);
	return rows.map((row) => row.id);
}

/** `clientId`: the id of the client's row. */
type SessionsOf = { userId: string; exceptSessionId: string | undefined } | { clientId: string };
type Ending = SessionsOf & { tenantId: string; because: string; now: Date; limit: number };

/** Revokes sessions of a person or a client in a tenant, so many at once; answers which. */
export async function endSessions(tx: Database, ending: Ending): Promise<Revoked[]> {
	const { tenantId, because, now, limit } = ending;
	const [userId, clientId, except] =
		"userId" in ending ? [ending.userId, null, ending.exceptSessionId] : [null, ending.clientId, null];
	const rows = await tx.query<RevokedRow>("select * from end_sessions($1, $2, $3, $4, $5, $6, $7)", [
		tenantId,
		userId,
		clientId,
		except ?? null,
		now,
		because,
		limit,
	]);
	return rows.map(fromRevokedRow);
}

/** Revokes sessions in a tenant, so many at once; answers which. Call it inside that tenant. */
export async function endTenantSessions(
	tx: Database,
	{ tenantId, because, now, limit }: { tenantId: string; because: string; now: Date; limit: number },
): Promise<Revoked[]> {
	const rows = await tx.query<RevokedRow>(
		`with chosen as (
		   select id from sessions where tenant_id = $1 and revoked_at is null order by id limit $4 for update
		 )
		 update sessions s set revoked_at = $2, revoked_because = $3 from chosen where s.tenant_id = $1 and s.id = chosen.id
		 returning s.id as session_id, s.tenant_id, s.user_id`,
		[tenantId, now, because, limit],
	);
	return rows.map(fromRevokedRow);
}

type SessionRow = Omit<
	OwnSession,
	"signed_in_at" | "last_used_at" | "expires_at" | "is_current" | "place"
> & {
	country: string | null;
	city: string | null;
	auth_time: Date;
	last_used_at: Date;
	expires_at: Date;
	place_at: string;
	place_id: string;
};

/** A page of a person's sessions that live, in every tenant, the latest first. */
export async function listUserSessions(
	db: Database,
	{
		userId,
		currentId,
		now,
		after,
		limit,
	}: {
		userId: string;
		currentId: string;
		now: Date;
		after: Place | undefined;
		limit: number;
	},
) {
	const rows = await db.query<SessionRow>(
		`select id, browser_session_id, client_id, client_name, tenant_id, tenant_slug, auth_time, last_used_at, expires_at,
		   device, country, city, is_this_device,
		   (extract(epoch from created_at) * 1000000)::bigint::text as place_at, id as place_id
		   from list_user_sessions($1, $6, $2, timestamptz 'epoch' + $3::bigint * interval '1 microsecond', $4, $5)`,
		[userId, now, after?.[0] ?? null, after?.[1] ?? null, limit + 1, currentId],
	);
	const toWire = (row: SessionRow): OwnSession => {
		const { auth_time, last_used_at, expires_at, country, city, place_at: _, place_id: __, ...session } = row;
		return {
			...session,
			place: country === null ? null : { country, city },
			signed_in_at: auth_time.toISOString(),
			last_used_at: last_used_at.toISOString(),
			expires_at: expires_at.toISOString(),
			is_current: row.id === currentId,
		};
	};
	return pageOf(rows, { limit, placeOf, toWire });
}
