import { randomUUID } from "node:crypto";
import { tenantDeleted } from "@lango/contracts";
import { type Database, inTenant } from "@lango/postgres";
import { ensureTenant } from "@lango/tenancy";
import { countTenantRows, repointTenant, testEvent } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { updateBillingMethod } from "../src/billing/billing-method.store.ts";
import { recordWithdrawn } from "../src/billing/withdrawn.store.ts";
import { applyOutcome } from "../src/outcomes/apply-outcome.ts";
import { recordAttempt } from "../src/payments/attempt.store.ts";
import type { StoredIntent } from "../src/payments/intent.store.ts";
import { addBill } from "./add-bill.ts";
import { receive } from "./receive.ts";
import { openTill } from "./till.ts";

const till = setUp(openTill);
const now = new Date();
const sourceService = "subscriptions";

/** Adds a bill that a prompt has paid, with everything that belongs to it. Call it inside the tenant. */
async function addPaidBill(tx: Database, tenantId: string, receipt: string): Promise<StoredIntent> {
	const intent = await addBill(tx, tenantId, { now });
	const id = randomUUID();
	await recordAttempt(tx, {
		...{ tenantId, id, intentId: intent.id, amountMinor: 250_000n, channel: "push", custody: "platform" },
		...{ shortcode: "600100", reference: `pay-${id.replaceAll("-", "")}`, phone: "254712345678" },
		...{ nextCheckAt: now, expiresAt: now, now },
	});
	await applyOutcome(tx, {
		...{ tenantId, attemptId: id, source: "delivery", sourceId: "1", at: now },
		said: {
			...{ kind: "paid", amountMinor: 250_000n, currency: "KES", receipt },
			...{ paidAt: now, payerMasked: "2547•••••678" },
		},
	});
	await updateBillingMethod(tx, tenantId, { kind: "push", phone: "254712345678", email: null });
	return intent;
}

test("two ids of a tenant are merged, with the payments of both; of what may be there once, one stays", async () => {
	const { db } = till.database;
	const [from, to, operationId] = [randomUUID(), randomUUID(), randomUUID()];
	for (const [at, tenantId] of [to, from].entries())
		for (const receipt of ["SAIDTWICE", `RECEIPT${at}`])
			await receive(db, tenantId, { receipt, isTrusted: false });
	for (const [at, tenantId] of [from, to].entries()) {
		await ensureTenant(db, tenantId);
		await inTenant(db, tenantId, async (tx) => {
			await addPaidBill(tx, tenantId, `RECEIPT${at}`);
			const { id } = await addBill(tx, tenantId, { now });
			await tx.query("update intents set operation_id = $2 where id = $1", [id, operationId]);
			await recordWithdrawn(tx, { tenantId, sourceService, operationId }, now);
		});
	}
	const [row] = await db.query<{ slug: string }>("select slug from tenants where id = $1", [from]);
	await repointTenant(db, { slug: row?.slug ?? "", from, to });
	expect(await countTenantRows(db, to)).toMatchObject({
		...{ intents: 4, attempts: 2, receipts: 3, payments: 2, billing_methods: 1, withdrawn_operations: 1 },
	});
	expect(Object.values(await countTenantRows(db, from)).every((many) => many === 0)).toBe(true);
	const owners = await inTenant(db, to, (tx) =>
		tx.query("select id from intents where operation_id = $1", [operationId]),
	);
	expect(owners).toHaveLength(1);
});

test("of a deleted tenant only the ledger and its evidence are kept, without phone numbers", async () => {
	const { db } = till.database;
	const { id, slug } = till.tenants.kahawa;
	await ensureTenant(db, id);
	await inTenant(db, id, (tx) => addPaidBill(tx, id, "RECEIPT9"));
	const data = { tenant_id: id, slug, version: 9 };
	await till.transport.publish(testEvent(tenantDeleted, { subject: id, tenant: { id }, data }));
	const left = async () => {
		const counts = Object.entries(await countTenantRows(db, id));
		return counts.filter(([name, many]) => many > 0 && name !== "audit_log").map(([name]) => name);
	};
	await expect
		.poll(async () => (await left()).toSorted())
		.toEqual(["evidence", "journals", "ledger_accounts", "payments", "postings", "receipts"]);
	const kept = await inTenant(db, id, (tx) =>
		tx.query(
			"select r::text as receipt, p::text as payment, e.said::text from receipts r, payments p, evidence e",
		),
	);
	expect(JSON.stringify(kept)).not.toContain("254712345678");
});
