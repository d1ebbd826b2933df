import { currentTenant, type Database } from "@lango/postgres";

/** The tables whose rows move with a receipt, each after those that it refers to. */
const movedTables = ["receipts", "refunds", "disputes", "receipt_holds"] as const;

type Given = Readonly<Record<(typeof movedTables)[number], readonly object[] | null>>;

/**
 * Moves a receipt whose tenant was not known, with its number, from the platform owner to the tenant of the
 * transaction. What is only said of its number there is removed. Returns false if something of it is used.
 * Call it inside the tenant. Throws an Error if the tenant has one of its rows already, which is a bug.
 */
export async function takeReceipt(tx: Database, id: string, ownerId: string): Promise<boolean> {
	const [row] = await tx.query<{ given: Given | null }>("select give_receipt($1, $2) as given", [
		ownerId,
		id,
	]);
	const given = row?.given ?? undefined;
	if (given === undefined) return false;
	await tx.query("select take_locators($1, $2)", [ownerId, id]);
	const tenantId = currentTenant(tx);
	await tx.query(
		`delete from receipts r using jsonb_to_recordset($2) as g (gateway text, kind text, receipt text)
		  where r.tenant_id = $1 and r.state = 'unverified' and r.gateway = g.gateway and r.kind = g.kind and r.receipt = g.receipt`,
		[tenantId, JSON.stringify(given.receipts)],
	);
	for (const table of movedTables) {
		const rows = (given[table] ?? []).map((one) => ({ ...one, tenant_id: tenantId }));
		if (rows.length === 0) continue;
		const moved = await tx.query(
			`insert into ${table} as m select * from jsonb_populate_recordset(null::${table}, $1)
			 on conflict do nothing returning m.tenant_id`,
			[JSON.stringify(rows)],
		);
		if (moved.length !== rows.length) throw new Error(`the receipt ${id} has a row in ${table} already`);
	}
	return true;
}
