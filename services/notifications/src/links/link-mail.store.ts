import type { Database } from "@lango/postgres";
import type { Sealed } from "@lango/tokens";

/** A mail with a link that is not accepted yet. */
export type LinkMail = {
	eventId: string;
	template: string;
	aboutTenantId: string | undefined;
	/** The person of the link, if the event names one. */
	userId?: string | undefined;
	data: Sealed;
	expiresAt: Date;
};

/** Records a mail, once per event. */
export async function recordLinkMail(tx: Database, mail: LinkMail, now: Date): Promise<void> {
	const { eventId, template, aboutTenantId, userId, data, expiresAt } = mail;
	await tx.query(
		`insert into link_mails (event_id, template, about_tenant_id, data_key_id, data, expires_at, created_at, user_id)
		 values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict on constraint link_mails__pkey do nothing`,
		[eventId, template, aboutTenantId ?? null, data.keyId, data.sealed, expiresAt, now, userId ?? null],
	);
}

/** Returns the mail of an event; undefined if it was accepted. */
export async function findLinkMail(db: Database, eventId: string): Promise<LinkMail | undefined> {
	const [row] = await db.query<{
		template: string;
		about_tenant_id: string | null;
		data_key_id: string;
		data: Buffer;
		expires_at: Date;
	}>("select template, about_tenant_id, data_key_id, data, expires_at from link_mails where event_id = $1", [
		eventId,
	]);
	return (
		row && {
			eventId,
			template: row.template,
			aboutTenantId: row.about_tenant_id ?? undefined,
			data: { keyId: row.data_key_id, sealed: row.data },
			expiresAt: row.expires_at,
		}
	);
}

/** Removes the mail of an event. */
export async function removeLinkMail(tx: Database, eventId: string): Promise<void> {
	await tx.query("delete from link_mails where event_id = $1", [eventId]);
}

/** Lists mails that should have been accepted, in the order of their events. */
export async function listOverdueMails(
	db: Database,
	{ before, after, limit }: { before: Date; after: string | undefined; limit: number },
): Promise<string[]> {
	const rows = await db.query<{ event_id: string }>(
		`select event_id from link_mails where created_at < $1 and ($2::uuid is null or event_id > $2)
		  order by event_id limit $3`,
		[before, after ?? null, limit],
	);
	return rows.map(({ event_id }) => event_id);
}
