import { tenantDeleted } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import { ensureTenant } from "@lango/tenancy";
import { countTenantRows, testEvent } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { addPaidBill, addReturned } from "./add-paid-bill.ts";
import { openTill } from "./till.ts";

const till = setUp(openTill);

test("of a deleted tenant only the ledger and its evidence are kept, without phone numbers", async () => {
	const { db } = till.database;
	const { id, slug } = till.tenants.kahawa;
	await ensureTenant(db, id);
	await inTenant(db, id, (tx) => addPaidBill(tx, id, "RECEIPT9"));
	await addReturned(db, id);
	const data = { tenant_id: id, slug, version: 9 };
	await till.transport.publish(testEvent(tenantDeleted, { subject: id, tenant: { id }, data }));
	const left = async () => {
		const counts = Object.entries(await countTenantRows(db, id));
		return counts.filter(([name, many]) => many > 0 && name !== "audit_log").map(([name]) => name);
	};
	await expect
		.poll(async () => (await left()).toSorted())
		.toEqual([
			...["disputes", "evidence", "journals", "ledger_accounts", "locators", "payments", "postings"],
			...["receipt_holds", "receipts", "refunds"],
		]);
	for (const table of ["receipts", "payments", "evidence"]) {
		const kept = await inTenant(db, id, (tx) => tx.query(`select t::text as kept from ${table} t`));
		expect(kept.length, table).toBeGreaterThan(0);
		expect(JSON.stringify(kept), table).not.toContain("254712345678");
	}
	const named = await inTenant(db, id, (tx) =>
		tx.query<{ kind: string }>("select distinct kind from locators order by kind"),
	);
	expect(named).toEqual([{ kind: "receipt" }]);
});
