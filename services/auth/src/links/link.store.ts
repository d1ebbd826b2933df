import type { Database } from "@lango/postgres";
import type { LinkIdentity, LinkKind } from "../secrets/link-secret.ts";

export type UserLinkKind = Exclude<LinkKind, "invitation">;
export type NewUserLink = {
	id: string;
	kind: UserLinkKind;
	userId: string;
	email: string;
	tokenHash: Buffer;
	keyId: string;
	now: Date;
	expiresAt: Date;
};

export async function recordUserLink(tx: Database, link: NewUserLink): Promise<void> {
	await tx.query(
		`insert into one_time_links (id, kind, user_id, email, token_hash, key_id, created_at, expires_at)
		 values ($1, $2, $3, $4, $5, $6, $7, $8)`,
		[link.id, link.kind, link.userId, link.email, link.tokenHash, link.keyId, link.now, link.expiresAt],
	);
}

/** The number of links of a kind that were sent to a person since a time. */
export async function countUserLinks(
	db: Database,
	{ userId, kind, since }: { userId: string; kind: UserLinkKind; since: Date },
): Promise<number> {
	const [row] = await db.query<{ count: number }>(
		"select count(*)::int as count from one_time_links where user_id = $1 and kind = $2 and created_at > $3",
		[userId, kind, since],
	);
	return row?.count ?? 0;
}

type Taking = { tokenHash: Buffer; kind: UserLinkKind; now: Date };
export type TakenLink = { userId: string; email: string };

/** The user of a valid link; does not consume the link. */
export async function findUserLink(
	db: Database,
	{ tokenHash, kind, now }: Taking,
): Promise<TakenLink | undefined> {
	const [row] = await db.query<{ user_id: string; email: string }>(
		"select user_id, email from one_time_links where token_hash = $1 and kind = $2 and used_at is null and expires_at > $3",
		[tokenHash, kind, now],
	);
	return row && { userId: row.user_id, email: row.email };
}

/**
 * Consumes a link; of parallel calls one succeeds. Undefined if it is used, expired, unknown or of another
 * kind.
 */
export async function takeUserLink(
	tx: Database,
	{ tokenHash, kind, now }: Taking,
): Promise<TakenLink | undefined> {
	const [row] = await tx.query<{ user_id: string; email: string }>(
		`update one_time_links set used_at = $3
		  where token_hash = $1 and kind = $2 and used_at is null and expires_at > $3
		 returning user_id, email`,
		[tokenHash, kind, now],
	);
	return row && { userId: row.user_id, email: row.email };
}

/** Invalidates every open link of a kind. */
export async function spendUserLinks(
	tx: Database,
	{ userId, kind, now }: { userId: string; kind: UserLinkKind; now: Date },
): Promise<void> {
	await tx.query(
		"update one_time_links set used_at = $3 where user_id = $1 and kind = $2 and used_at is null",
		[userId, kind, now],
	);
}

/** Removes a batch of links that expired a day ago; returns the number. */
export async function removeOldUserLinks(
	db: Database,
	{ now, limit }: { now: Date; limit: number },
): Promise<number> {
	const rows = await db.query(
		`delete from one_time_links where id in
		   (select id from one_time_links where expires_at < $1::timestamptz - interval '1 day'
		     order by expires_at, id limit $2 for update skip locked)
		 returning 1`,
		[now, limit],
	);
	return rows.length;
}

export type MailLink = { link: LinkIdentity; email: string; keyId: string; expiresAt: Date };

type MailLinkRow = { email: string; key_id: string; expires_at: Date } & (
	| { kind: UserLinkKind; tenant_id: null }
	| { kind: "invitation"; tenant_id: string }
);

/** A valid link or invitation, by its id. */
export async function findMailLink(
	db: Database,
	{ id, now }: { id: string; now: Date },
): Promise<MailLink | undefined> {
	const [row] = await db.query<MailLinkRow>(
		"select kind, email, key_id, expires_at, tenant_id from find_mail_link($1, $2)",
		[id, now],
	);
	if (row === undefined) return undefined;
	const link =
		row.kind === "invitation" ? { kind: row.kind, id, tenantId: row.tenant_id } : { kind: row.kind, id };
	return { link, email: row.email, keyId: row.key_id, expiresAt: row.expires_at };
}
