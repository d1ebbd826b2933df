import { randomBytes } from "node:crypto";
import { uuidV7 } from "@lango/events";
import type { Database } from "@lango/postgres";
import { type CallbackToken, hashCallbackToken, type IssuedToken, idOfShortcode } from "./callback-token.ts";

/**
 * Issues a token and returns it: 32 hex digits. The gateway refuses addresses that contain words like
 * `exec` and
 * `sql`, which hex cannot spell. Only its hash is stored. Call it inside the tenant.
 */
export async function issueCallbackToken(tx: Database, token: CallbackToken, now: Date): Promise<string> {
	const text = randomBytes(16).toString("hex");
	const id = uuidV7(now);
	await tx.query(
		`with located as (
		   insert into locators (kind, value, tenant_id, object_id) values ('callback_token', $9, $1, $2))
		 insert into callback_tokens (tenant_id, id, profile_id, route, object_kind, object_id, created_at, expires_at,
		   platform_shortcode)
		 values ($1, $2, $3, $4, $5, $6, $7, $8, $10)`,
		[
			...[token.tenantId, id, token.profileId, token.route, token.objectKind, token.objectId, now],
			...[token.expiresAt ?? null, hashCallbackToken(text), token.platformShortcode ?? null],
		],
	);
	return text;
}

/** Finds a token by the id of its locator. Call it inside the tenant. */
export async function findCallbackToken(tx: Database, id: string): Promise<IssuedToken | undefined> {
	const [row] = await tx.query<{
		tenant_id: string;
		profile_id: string;
		route: CallbackToken["route"];
		object_kind: CallbackToken["objectKind"];
		object_id: string;
		platform_shortcode: string | null;
		created_at: Date;
		expires_at: Date | null;
	}>(
		`select tenant_id, profile_id, route, object_kind, object_id, platform_shortcode, created_at, expires_at
		   from callback_tokens where id = $1`,
		[id],
	);
	return (
		row && {
			...{ tenantId: row.tenant_id, profileId: row.profile_id, route: row.route },
			...{ objectKind: row.object_kind, objectId: row.object_id, expiresAt: row.expires_at ?? undefined },
			...{ platformShortcode: row.platform_shortcode ?? undefined, createdAt: row.created_at },
		}
	);
}

/** Removes a token that the gateway was not given. Call it inside the tenant. */
export async function removeCallbackToken(tx: Database, token: string): Promise<void> {
	const [located] = await tx.query<{ object_id: string }>(
		"delete from locators where kind = 'callback_token' and value = $1 returning object_id",
		[hashCallbackToken(token)],
	);
	if (located !== undefined) await tx.query("delete from callback_tokens where id = $1", [located.object_id]);
}

/** Removes tokens of all tenants that ended before a time, with their locators. Returns how many. */
export async function removeEndedTokens(
	db: Database,
	{ before, limit }: { before: Date; limit: number },
): Promise<number> {
	const [row] = await db.query<{ removed: number }>("select remove_ended_tokens($1, $2) as removed", [
		before,
		limit,
	]);
	return row?.removed ?? 0;
}

/** Ends the tokens of a shortcode but the latest two of each route. Call it inside the tenant. */
export async function expireTokensBefore(
	tx: Database,
	{ shortcode, at }: { shortcode: string; at: Date },
): Promise<void> {
	await tx.query(
		`update callback_tokens set expires_at = $2
		  where object_kind = 'shortcode' and object_id = $1 and expires_at is null and id not in (
		    select id from (
		      select id, row_number() over (partition by route order by created_at desc, id desc) as place
		        from callback_tokens where object_kind = 'shortcode' and object_id = $1) ranked
		     where place <= 2)`,
		[idOfShortcode(shortcode), at],
	);
}
