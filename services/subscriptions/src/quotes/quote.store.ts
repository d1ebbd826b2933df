import type { Database } from "@lango/postgres";

/** A price that was quoted. */
export type Quote = {
	id: string;
	subscriptionVersion: number;
	planVersionId: string;
	/** The add-ons after the change; null: the current ones. */
	addOnVersionIds: readonly string[] | null;
	quotedAt: Date;
	expiresAt: Date;
};

/** The number of quotes kept per tenant. */
const keptMax = 50;

/** Records a quote, and deletes the tenant's oldest ones. */
export async function recordQuote(
	tx: Database,
	{ tenantId, quote }: { tenantId: string; quote: Omit<Quote, "id"> },
): Promise<string> {
	const { subscriptionVersion, planVersionId, addOnVersionIds, quotedAt, expiresAt } = quote;
	const [row] = await tx.query<{ id: string }>(
		`insert into quotes (tenant_id, subscription_version, plan_version_id, quoted_at, expires_at, add_on_version_ids)
		 values ($1, $2, $3, $4, $5, $6) returning id`,
		[tenantId, subscriptionVersion, planVersionId, quotedAt, expiresAt, addOnVersionIds],
	);
	if (row === undefined) throw new Error("inserting a quote returned no row");
	await tx.query(
		`delete from quotes where id in (
		   select id from quotes where tenant_id = $1 and id <> $2 order by quoted_at desc, id offset $3)`,
		[tenantId, row.id, keptMax - 1],
	);
	return row.id;
}

/** A tenant's quote; undefined if not found. */
export async function findQuote(
	tx: Database,
	{ tenantId, id }: { tenantId: string; id: string },
): Promise<Quote | undefined> {
	const [row] = await tx.query<QuoteRow>(
		`select id, subscription_version, plan_version_id, add_on_version_ids, quoted_at, expires_at
		   from quotes where tenant_id = $1 and id = $2`,
		[tenantId, id],
	);
	return (
		row && {
			id: row.id,
			subscriptionVersion: row.subscription_version,
			planVersionId: row.plan_version_id,
			addOnVersionIds: row.add_on_version_ids,
			quotedAt: row.quoted_at,
			expiresAt: row.expires_at,
		}
	);
}

type QuoteRow = {
	id: string;
	subscription_version: number;
	plan_version_id: string;
	add_on_version_ids: string[] | null;
	quoted_at: Date;
	expires_at: Date;
};
