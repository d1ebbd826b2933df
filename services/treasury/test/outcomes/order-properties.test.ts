import { randomUUID } from "node:crypto";
import { InvalidEvent } from "@lango/events";
import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import fc from "fast-check";
import { expect, test } from "vitest";
import { askForBill } from "../../src/billing/ask-for-bill.ts";
import { withdrawBill } from "../../src/billing/withdraw-bill.ts";
import { applyConfirmation } from "../../src/inbox/applying/apply-confirmation.ts";
import type { Place } from "../../src/inbox/applying/place-confirmation.ts";
import type { Delivery } from "../../src/inbox/delivery.ts";
import type { Confirmation } from "../../src/inbox/reading.ts";
import { applyOutcome } from "../../src/outcomes/apply-outcome.ts";
import type { RefundSaid } from "../../src/outcomes/evidence/refund-evidence.ts";
import { mintAccountCode } from "../../src/payments/account-code.ts";
import { lockOperation } from "../../src/payments/intent.store.ts";
import { lockBillOrders, recordOrder } from "../../src/standing-orders/standing-order.store.ts";
import { findViolations } from "../ledger/invariants.ts";
import { newReceiptNumber } from "../receive.ts";
import { callbackOf, openCounter } from "./counter.ts";
import { findBroken } from "./state.ts";

const counter = setUp(openCounter);
const sourceService = "subscriptions";

const amount = fc.constantFrom(30_000, 60_050, 90_000, 120_000);
const kind = fc.constantFrom("checkout", "change", "renewal", "overage");
const operation = fc.nat(3);
/** What happens to one of four operations of a tenant. */
const step = fc.oneof(
	fc.record({ is: fc.constant("asked" as const), operation, kind, amount }),
	fc.record({ is: fc.constant("withdrawn" as const), operation }),
	fc.record({ is: fc.constant("paid" as const), operation, amount }),
	fc.record({ is: fc.constant("executed" as const), operation, amount, isAgain: fc.boolean() }),
	fc.record({
		...{ is: fc.constant("returned" as const), operation, amount },
		end: fc.constantFrom("processed", "failed", "won", "lost"),
	}),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

test("a bill is paid by at most one payment of exactly its amount, by a standing order before or after the asking, at an old price or twice; what was received is income, unapplied or given back (I25, I22)", async () => {
	const property = fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
		const tenantId = await counter.tenant();
		const operations = Array.from({ length: 4 }, () => ({ id: randomUUID(), asked: 0 }));
		for (const one of steps) {
			counter.clock.now = new Date(counter.clock.now.getTime() + 1_000);
			await take(tenantId, one, operations[one.operation] ?? { id: "", asked: 0 });
			expect(await findBroken(counter, tenantId)).toEqual([]);
		}
	});
	await fc.assert(property, { numRuns: 40, endOnFailure: true });
	expect(await findViolations(counter)).toEqual([]);
}, 120_000);

type Operation = { id: string; asked: number };

async function take(tenantId: string, one: Step, operation: Operation): Promise<void> {
	if (one.is === "asked") return ask(tenantId, one, operation);
	if (one.is === "executed") return execute(tenantId, one);
	if (one.is === "returned") return giveBack(tenantId, one);
	const { now } = counter.clock;
	if (one.is === "withdrawn")
		return inTenant(counter.db, tenantId, (tx) =>
			withdrawBill(tx, { tenantId, sourceService, operationId: operation.id }, now),
		);
	const intent = await inTenant(counter.db, tenantId, (tx) =>
		lockOperation(tx, { sourceService, operationId: operation.id }),
	);
	// The prompt may have been sent before the bill was closed.
	if (intent !== undefined)
		await counter.deliver(callbackOf(await counter.prompt(intent, BigInt(one.amount)), 0));
}

/** Asks for an operation, once more if it was asked for before. Another amount is refused. */
async function ask(tenantId: string, one: Step & { is: "asked" }, operation: Operation): Promise<void> {
	const { now } = counter.clock;
	const asked = {
		...{ operation_id: operation.id, tenant_id: tenantId, kind: one.kind, attempt: operation.asked + 1 },
		...{ amount_minor: one.amount, currency: "KES", sourceService, description: "Lango plan", askedAt: now },
		expiresAt: new Date(now.getTime() + 86_400_000),
	};
	const parts = {
		...{ now: () => now, keys: counter.keys },
		settings: { consoleUrl: "https://console.lango.example" },
	};
	await inTenant(counter.db, tenantId, (tx) => askForBill(tx, parts, asked)).then(
		() => {
			operation.asked += 1;
		},
		(error) => {
			if (!(error instanceof InvalidEvent)) throw error;
		},
	);
}

/** The wallet pays by the tenant's standing order; `isAgain`: its confirmation arrives twice. */
async function execute(tenantId: string, { amount, isAgain }: Step & { is: "executed" }): Promise<void> {
	const { now } = counter.clock;
	const [known] = await inTenant(counter.db, tenantId, lockBillOrders);
	const order =
		known ?? (await inTenant(counter.db, tenantId, (tx) => recordOrder(tx, orderOf(tenantId, now))));
	if (order === undefined) throw new Error("the order was not recorded");
	const shortcode = `6${tenantId.replace(/[^0-9]/g, "").slice(0, 6)}`;
	const confirmation: Confirmation = {
		...{ receipt: newReceiptNumber(), shortcode, amountMinor: BigInt(amount), occurredAt: now },
		...{ accountRef: order.accountCode, payerMasked: "2547 ***** 126" },
	};
	const place: Place = {
		...{ tenantId, orderId: order.id, intentId: undefined, isTrusted: true, custody: "platform" },
		accountRef: order.accountCode,
	};
	const delivery = { id: randomUUID() } as Delivery;
	for (let turn = 0; turn < (isAgain ? 2 : 1); turn += 1)
		await counter.db.transaction((tx) =>
			applyConfirmation(tx, { delivery, confirmation, place, keys: counter.keys, now }),
		);
}

const orderOf = (tenantId: string, createdAt: Date) => ({
	...{ tenantId, id: randomUUID(), payee: "platform" as const, phone: "254712345126", amountMinor: 90_000n },
	...{ currency: "KES", frequency: "monthly" as const, startOn: "2027-03-01", endOn: "2032-03-01" },
	...{ description: "Lango plan", shortcode: "600100", accountCode: mintAccountCode(), createdAt },
	...{ createdBy: { kind: "user", id: "amina" }, idempotencyKey: undefined, fingerprint: Buffer.alloc(0) },
});

/** The gateway returns something of a receipt, or the payer disputes it; perhaps more than is left of it. */
async function giveBack(tenantId: string, one: Step & { is: "returned" }): Promise<void> {
	const { operation: which, amount: minor, end } = one;
	const at = counter.clock.now;
	const about = { tenantId, source: "query", sourceId: undefined, at } as const;
	await inTenant(counter.db, tenantId, async (tx) => {
		const receipts = await tx.query<{ id: string }>("select id from receipts order by id");
		const receiptId = receipts[which % Math.max(1, receipts.length)]?.id;
		if (receiptId === undefined) return;
		const [id, amountMinor] = [randomUUID(), BigInt(minor)];
		if (end === "won" || end === "lost") {
			const said = { gatewayId: id, resolution: null, category: null, amountMinor, dueAt: undefined };
			for (const status of ["open", end] as const)
				await applyOutcome(tx, { ...about, receiptId, dispute: { ...said, status } });
			return;
		}
		await applyOutcome(tx, {
			...{ ...about, of: "whole", mayBeDebt: true },
			newRefund: {
				...{ id, receiptId, paymentId: null, origin: "gateway", method: "card", amountMinor },
				...{ reason: "A mistake", customerNote: null, gatewayRef: null, nextCheckAt: null },
				...{ createdBy: { kind: "gateway", id: "card_gateway" }, idempotencyKey: undefined },
				fingerprint: Buffer.alloc(0),
			},
		});
		const refundSaid = end === "failed" ? { kind: end, code: "failed" } : { kind: end };
		await applyOutcome(tx, { ...about, refundId: id, refundSaid: refundSaid as RefundSaid });
	});
}
