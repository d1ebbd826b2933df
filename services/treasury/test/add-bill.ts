import { randomUUID } from "node:crypto";
import type { Database } from "@lango/postgres";
import { readKeyEncryptionKeys } from "@lango/tokens";
import type { StoredIntent } from "../src/payments/intent.store.ts";
import { openIntent } from "../src/payments/open-intent.ts";

const keys = readKeyEncryptionKeys(`test:${Buffer.alloc(32, 7).toString("base64")}`);

/** Adds a bill of 2,500.00 shillings. Call it inside the tenant. */
export async function addBill(tx: Database, tenantId: string, now = new Date()): Promise<StoredIntent> {
	const intent = await openIntent(
		tx,
		{
			...{ tenantId, payee: "platform", sourceService: "subscriptions", operationId: randomUUID() },
			...{ operationKind: "checkout", orderId: null, description: "Lango plan" },
			...{ amountMinor: 250_000n, currency: "KES", askedAttempt: 1, askedAt: now },
			expiresAt: new Date(now.getTime() + 86_400_000),
			...{ channels: ["push", "card"], customerUserId: null, customer: {}, returnUrl: null, metadata: {} },
			...{ createdBy: { kind: "service", id: "subscriptions" }, idempotencyKey: undefined },
		},
		{ keys, now },
	);
	if (intent === undefined) throw new Error("the bill was not added");
	return intent;
}
