import { randomUUID } from "node:crypto";
import { treasuryPaymentSucceeded } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import { testEvent } from "@lango/testkit";
import { recordTopUp } from "../src/credits/top-up.store.ts";
import { topUpConsumers } from "../src/credits/top-up-consumers.ts";
import type { World } from "./walk-world.ts";

/** A purchase of the walk, and its payment. */
export type TopUp = { id: string; paymentId: string; segments: number; isPaid: boolean };

const dayMs = 24 * 3_600_000;
const price = { amountMinor: 9_000, currency: "KES" };

/**
 * Buys credit if no purchase is open, and pays the one that `pays` names. A purchase may be paid late, and
 * the event of its payment may come again.
 */
export async function buyCredit(
	{ tenant, topUps, db, now }: World,
	{ segments, pays }: { segments: number; pays: number | undefined },
): Promise<void> {
	const expiresAt = new Date(now().getTime() + dayMs);
	const wanted = { tenantId: tenant.id, pack: "sms", segments, ...price, expiresAt, requestedBy: "test" };
	const bought = await inTenant(db, tenant.id, (tx) => recordTopUp(tx, wanted, now()));
	if (bought !== undefined) topUps.push({ id: bought.id, paymentId: randomUUID(), segments, isPaid: false });
	const paid = pays === undefined ? undefined : topUps[pays % topUps.length];
	if (paid === undefined) return;
	const data = {
		...{ operation_id: paid.id, tenant_id: tenant.id, payment_id: paid.paymentId, currency: price.currency },
		...{ amount_minor: price.amountMinor, paid_at: now().toISOString() },
	};
	const event = testEvent(treasuryPaymentSucceeded, { subject: paid.id, tenant, data });
	for (const { eventType, apply } of topUpConsumers({ now }))
		if (eventType.type === event.type) await apply(db, event);
	paid.isPaid = true;
}
