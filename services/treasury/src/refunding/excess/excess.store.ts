import { acrossTenants, currentTenant, type Database } from "@lango/postgres";
import type { Receipt } from "../../receipts/receipt.ts";

/**
 * Whether there is a receipt of this amount and shortcode whose number is not known yet: it may be the same
 * money. Call it inside the tenant.
 */
export async function isAwaitingNumber(
	tx: Database,
	{ shortcode, amountMinor }: Pick<Receipt, "shortcode" | "amountMinor">,
): Promise<boolean> {
	const rows = await tx.query(
		`select from receipts where tenant_id = $3 and shortcode = $1 and amount_minor = $2 and receipt is null and state = 'verified'
		  limit 1`,
		[shortcode, amountMinor, currentTenant(tx)],
	);
	return rows.length > 0;
}

type Looking = { since: Date; before: Date; after: string | undefined; limit: number };

/**
 * Lists receipts of all tenants that named a request and have more than it needed, by id: the tenant wanted
 * it returned when it came, and no refund was asked for.
 */
export async function listUnreturned(
	db: Database,
	{ since, before, after, limit }: Looking,
): Promise<Array<{ id: string; tenantId: string }>> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query<{ id: string; tenant_id: string }>(
			`select r.id, r.tenant_id from receipts r
			   join tenant_gateways g on g.tenant_id = r.tenant_id and g.refund_excess and g.updated_at <= r.created_at
			  where r.allocated_minor + r.refunded_minor < r.amount_minor and r.state = 'verified' and not r.is_duplicate
			    and r.platform_minor = 0 and r.created_at between $1 and $2
			    and (r.attempt_id is not null
			      or exists (select from intents i where i.tenant_id = r.tenant_id and i.account_code = r.account_ref))
			    and not exists (select from refunds f where f.tenant_id = r.tenant_id and f.receipt_id = r.id)
			    and ($3::uuid is null or r.id > $3) order by r.id limit $4`,
			[since, before, after ?? null, limit],
		),
	);
	return rows.map(({ id, tenant_id }) => ({ id, tenantId: tenant_id }));
}
