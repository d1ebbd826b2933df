import { randomUUID } from "node:crypto";
import { type Database, inTenant } from "@lango/postgres";
import { updateBillingMethod } from "../src/billing/methods/billing-method.store.ts";
import { applyOutcome } from "../src/outcomes/apply-outcome.ts";
import { recordAttempt } from "../src/payments/attempt.store.ts";
import type { StoredIntent } from "../src/payments/intent.store.ts";
import { addBill } from "./add-bill.ts";
import { addTrade, charge, disputed, returnedAtGateway } from "./receive.ts";

const now = new Date();

/** Adds a bill that a prompt has paid, with everything that belongs to it. Call it inside the tenant. */
export async function addPaidBill(tx: Database, tenantId: string, receipt: string): Promise<StoredIntent> {
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
	await updateBillingMethod(tx, tenantId, { kind: "push", phone: "254712345678", email: null, now });
	return intent;
}

/** Adds a card payment, of which a part is returned and a part is disputed. */
export async function addReturned(db: Database, tenantId: string): Promise<void> {
	const receipt = await charge(db, await addTrade(db, tenantId));
	const id = await returnedAtGateway(db, receipt, { amountMinor: 10_000n });
	await inTenant(db, tenantId, (tx) =>
		tx.query("update refunds set idempotency_key = 'said-twice' where id = $1", [id]),
	);
	await disputed(db, receipt, { amountMinor: 20_000n });
}
