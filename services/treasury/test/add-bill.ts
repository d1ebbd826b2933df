import { randomUUID } from "node:crypto";
import type { Database } from "@lango/postgres";
import { readKeyEncryptionKeys } from "@lango/tokens";
import type { StoredIntent } from "../src/payments/intent.store.ts";
import { type Asked, fingerprintOf, openIntent } from "../src/payments/open-intent.ts";

/** The keys of a till. */
export const keys = readKeyEncryptionKeys(`test:${Buffer.alloc(32, 7).toString("base64")}`);

type More = Partial<Asked> & { now?: Date };

/**
 * Adds a bill of 2,500.00 shillings, or with `payee: "tenant"` a request of the tenant's own trade. Call it
 * inside the tenant.
 */
export async function addBill(
	tx: Database,
	tenantId: string,
	{ now = new Date(), ...more }: More = {},
): Promise<StoredIntent> {
	const intent = await openIntent(
		tx,
		{
			...{ tenantId, payee: "platform", sourceService: "subscriptions", operationId: randomUUID() },
			...{ operationKind: "checkout", orderId: null, description: "Lango plan" },
			...{ amountMinor: 250_000n, currency: "KES", askedAttempt: 1, askedAt: now },
			expiresAt: new Date(now.getTime() + 86_400_000),
			...{ channels: ["push", "card"], customerUserId: null, customer: {}, returnUrl: null, metadata: {} },
			...{ createdBy: { kind: "service", id: "subscriptions" }, idempotencyKey: undefined },
			fingerprint: fingerprintOf({}),
			...more,
		},
		{ keys, now },
	);
	if (intent === undefined) throw new Error("the bill was not added");
	return intent;
}
