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

/** Finds the tenants and objects of several values, in their order; undefined for one that is not known. */
export async function findLocators(
	db: Database,
	wanted: ReadonlyArray<{ kind: LocatorKind; value: string }>,
): Promise<Array<Located | undefined>> {
	const rows = await db.query<{ place: number; tenant_id: string; object_id: string }>(
		`select w.place::integer as place, l.tenant_id, l.object_id
		   from unnest($1::text[], $2::text[]) with ordinality as w (kind, value, place)
		  cross join lateral find_locator(w.kind, w.value) as l`,
		[wanted.map(({ kind }) => kind), wanted.map(({ value }) => value)],
	);
	const found = new Map(rows.map((row) => [row.place, row]));
	return wanted.map((_, index) => {
		const row = found.get(index + 1);
		return row && { tenantId: row.tenant_id, objectId: row.object_id };
	});
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

/** Whether a tenant was deleted: what names its kept objects stays. */
export async function isDeleted(db: Database, tenantId: string): Promise<boolean> {
	const rows = await db.query("select from tenants where id = $1 and deleted_at is not null", [tenantId]);
	return rows.length > 0;
}
