import { randomUUID } from "node:crypto";
import { type Database, inTenant } from "@lango/postgres";
import { activatePage, recordPage } from "../../src/payment-pages/payment-page.store.ts";
import type { Payee } from "../../src/payments/intent.ts";
import { recordApproval } from "../../src/payouts/payout-approval.store.ts";
import { recordBatch } from "../../src/payouts/payout-batch.store.ts";
import { recordOrder } from "../../src/standing-orders/standing-order.store.ts";
import { keys } from "../add-bill.ts";
import { addCardSubscription } from "../cards/add-card-subscription.ts";
import { addPayout } from "../payouts/add-payout.ts";
import { makeAvailable } from "../payouts/paying.ts";
import { addAccount } from "./two-ids.ts";

/** A caller that used the same Idempotency-Key under both ids of a tenant. */
const made = {
	...{ createdBy: { kind: "user", id: "00000000-0000-4000-8000-000000000001" }, idempotencyKey: "of both" },
	fingerprint: Buffer.alloc(32),
};

/** Lets rows have been made by one request: the caller and key of `made`. */
const nameByKey = (tx: Database, table: string, id: string) =>
	tx.query(`update ${table} set created_by_kind = $2, created_by = $3, idempotency_key = $4 where id = $1`, [
		id,
		made.createdBy.kind,
		made.createdBy.id,
		made.idempotencyKey,
	]);

/**
 * Adds a transfer of a bulk request, a single transfer and a payout from a shortcode, each with an
 * approval.
 */
export async function addPayouts(db: Database, tenantId: string): Promise<void> {
	const at = new Date("2026-03-02T08:00:00Z");
	const recipient = await addAccount(db, tenantId, { account: `of ${tenantId}`, at });
	const batchId = randomUUID();
	await makeAvailable(db, tenantId, { amountMinor: 300_000n });
	await inTenant(db, tenantId, (tx) => recordBatch(tx, { ...made, tenantId, id: batchId, createdAt: at }));
	const payouts = [
		await addPayout(db, tenantId, { recipient, batchId }),
		await addPayout(db, tenantId, { recipient }),
		await addPayout(db, tenantId, { shortcode: "700999", batchId }),
	];
	await inTenant(db, tenantId, async (tx) => {
		for (const { id: payoutId } of payouts)
			await recordApproval(tx, {
				...{ tenantId, payoutId, by: made.createdBy, decision: "approved", because: null, at },
			});
		await nameByKey(tx, "payouts", payouts[1]?.id ?? "");
	});
}

/** Adds an active standing order, asked for an hour ago, and returns its id. */
export async function addOrder(tx: Database, tenantId: string, payee: Payee): Promise<string> {
	const id = randomUUID();
	const accountCode = randomUUID().slice(0, 10);
	await recordOrder(tx, {
		...{ ...made, tenantId, id, payee, phone: "254712345678", amountMinor: 250_000n, currency: "KES" },
		...{ frequency: "monthly", startOn: "2026-03-02", endOn: "2099-03-02", description: "Rent", accountCode },
		...{ shortcode: "600100", createdAt: new Date(Date.now() - 3_600_000) },
		idempotencyKey: `${made.idempotencyKey} ${payee}`,
	});
	await tx.query("update standing_orders set status = 'active' where id = $1", [id]);
	return id;
}

/** Adds a card that is charged by a plan for a payee; the card is the same under both ids. */
async function addCharged(tx: Database, tenantId: string, payee: Payee): Promise<string> {
	const id = await addCardSubscription(tx, { tenantId, payee, keys, now: new Date(Date.now() - 3_600_000) });
	await tx.query("update card_authorizations set customer_code = $1 where payee = $1", [payee]);
	await tx.query(
		"update card_subscriptions set status = 'active', subscription_code = id::text, customer_code = $2 where id = $1",
		[id, payee],
	);
	return id;
}

/** Adds cards that are charged for both payees, with their plans, by one request each. */
export async function addCards(db: Database, tenantId: string): Promise<void> {
	await inTenant(db, tenantId, async (tx) => {
		await addCharged(tx, tenantId, "platform");
		const id = await addCharged(tx, tenantId, "tenant");
		await nameByKey(tx, "card_subscriptions", id);
		const [plan] = await tx.query<{ id: string }>(
			"select plan_id as id from card_subscriptions where id = $1",
			[id],
		);
		await nameByKey(tx, "card_plans", plan?.id ?? "");
	});
}

/** Adds a payment page. */
export async function addPage(db: Database, tenantId: string): Promise<void> {
	const id = randomUUID();
	const page = { name: "Donations", description: "For the ward", amountMinor: null, currency: "KES" };
	const createdAt = new Date("2026-03-02T08:00:00Z");
	await inTenant(db, tenantId, async (tx) => {
		await recordPage(tx, { ...made, ...page, tenantId, id, metadata: {}, tokenHash: id, createdAt });
		await activatePage(tx, id, `https://pay.example/${id}`);
	});
}
