import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { ensureTenant } from "@lango/tenancy";
import { countTenantRows, repointTenant } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { recordWithdrawn } from "../../src/billing/withdrawn.store.ts";
import { applyOutcome } from "../../src/outcomes/apply-outcome.ts";
import { nameIntent, type StoredIntent } from "../../src/payments/intent.store.ts";
import { addBill } from "../add-bill.ts";
import { addPaidBill, addReturned } from "../add-paid-bill.ts";
import { receive } from "../receive.ts";
import { openTill } from "../till.ts";

const till = setUp(openTill);
const now = new Date();
const sourceService = "subscriptions";
const createdBy = { kind: "service", id: sourceService };

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
			for (const idempotencyKey of ["of both", tenantId])
				await nameIntent(tx, { tenantId, id, createdBy, idempotencyKey });
			await recordWithdrawn(tx, { tenantId, sourceService, operationId }, now);
		});
		await addReturned(db, tenantId);
	}
	const [row] = await db.query<{ slug: string }>("select slug from tenants where id = $1", [from]);
	await repointTenant(db, { slug: row?.slug ?? "", from, to });
	expect(await countTenantRows(db, to)).toMatchObject({
		...{
			intents: 6,
			intent_keys: 3,
			attempts: 4,
			receipts: 5,
			payments: 4,
			billing_methods: 1,
			withdrawn_operations: 1,
			refunds: 2,
			disputes: 2,
			receipt_holds: 4,
		},
	});
	expect(Object.values(await countTenantRows(db, from)).every((many) => many === 0)).toBe(true);
	const owners = await inTenant(db, to, (tx) =>
		tx.query("select id from intents where operation_id = $1", [operationId]),
	);
	expect(owners).toHaveLength(1);
});

/** The owner allocates money that came to the platform's paybill for nothing to a bill of a tenant. */
async function takeFromOwner(tenantId: string, receipt: string): Promise<StoredIntent> {
	const { db } = till.database;
	const { id: ownerId } = till.tenants.lango;
	const money = { receipt, shortcode: "600100", custody: "platform", amountMinor: 300_000n } as const;
	await receive(db, tenantId, { ...money, isTrusted: false });
	const { id: receiptId } = await receive(db, ownerId, money);
	return inTenant(db, tenantId, async (tx) => {
		const bill = await addBill(tx, tenantId, { now });
		await applyOutcome(tx, {
			...{ tenantId, source: "operator", sourceId: "operator", at: now },
			allocation: {
				...{ receiptId, intentId: bill.id, takenFrom: ownerId },
				...{ amountMinor: undefined, seenMinor: undefined },
			},
		});
		return bill;
	});
}

test("two ids of a tenant are merged, with money that each took from the platform owner: it is counted once, and what is left pays the next bill", async () => {
	const { db } = till.database;
	const [from, to] = [randomUUID(), randomUUID()];
	const [bill] = [await takeFromOwner(from, "TAKEN0001"), await takeFromOwner(to, "TAKEN0002")];
	const [row] = await db.query<{ slug: string }>("select slug from tenants where id = $1", [from]);
	await repointTenant(db, { slug: row?.slug ?? "", from, to });
	const counted = { intents: 2, receipts: 2, payments: 2 };
	expect(await countTenantRows(db, to)).toMatchObject(counted);
	expect(Object.values(await countTenantRows(db, from)).every((many) => many === 0)).toBe(true);
	const merged = { ...till.tenants.uhai, id: to };
	expect(await till.balances(merged)).toEqual({ unapplied: 100_000 });
	const again = { shortcode: "600100", custody: "platform", amountMinor: 300_000n } as const;
	await receive(db, to, { ...again, receipt: "TAKEN0001", intentId: bill.id });
	expect(await countTenantRows(db, to)).toMatchObject(counted);
	const { id: next } = await takeFromOwner(to, "TAKEN0003");
	const paid = await inTenant(db, to, (tx) => tx.query("select status from intents where id = $1", [next]));
	expect(paid).toEqual([{ status: "succeeded" }]);
	expect(await till.balances(merged)).toEqual({ unapplied: 150_000 });
});
