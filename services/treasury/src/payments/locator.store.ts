import type { Database } from "@lango/postgres";

/** Values that arrive from gateways and payers before their tenant is known. */
export type LocatorKind =
	| "account_code"
	| "pay_code"
	| "reference"
	| "checkout_request"
	| "receipt"
	| "charge"
	| "callback_token"
	| "shortcode"
	| "card_plan"
	| "card_subscription"
	| "page_token";

/** The object that a value names. */
export type Located = { tenantId: string; objectId: string };

/** Finds the tenant and the object of a value; undefined if it is not known. */
export async function findLocator(
	db: Database,
	kind: LocatorKind,
	value: string,
): Promise<Located | undefined> {
	const [row] = await db.query<{ tenant_id: string; object_id: string }>(
		"select tenant_id, object_id from find_locator($1, $2)",
		[kind, value],
	);
	return row && { tenantId: row.tenant_id, objectId: row.object_id };
}

/**
 * Stores the reference of a charge that has none of ours: events about its refunds name it. Call it inside
 * the tenant.
 */
export async function recordChargeReference(
	tx: Database,
	{ tenantId, receiptId, reference }: { tenantId: string; receiptId: string; reference: string },
): Promise<void> {
	await tx.query(
		`insert into locators (kind, value, tenant_id, object_id) values ('charge', $1, $2, $3)
		 on conflict do nothing`,
		[reference, tenantId, receiptId],
	);
}
