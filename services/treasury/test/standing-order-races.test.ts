import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { findBillingMethod } from "../src/billing/methods/billing-method.store.ts";
import { applyConfirmation } from "../src/inbox/applying/apply-confirmation.ts";
import type { Delivery } from "../src/inbox/delivery.ts";
import { lockBillOrders } from "../src/standing-orders/standing-order.store.ts";
import { keys } from "./add-bill.ts";
import { newReceiptNumber } from "./receive.ts";
import { newPhone, openTill } from "./till.ts";

const till = setUp(openTill);
const turns = 25;

const choose = (phone: string) =>
	till.call({
		...{
			method: "PUT",
			url: "/api/v1/uhai/treasury/billing-method",
			token: till.token(till.tenants.uhai, "admin"),
		},
		body: { kind: "standing_order", phone },
	});

/** The order that the billing method names, and those that collect, or may still do so. */
const state = () =>
	inTenant(till.database.db, till.tenants.uhai.id, async (tx) => ({
		named: (await findBillingMethod(tx)).standingOrderId,
		open: (await lockBillOrders(tx)).map(({ id }) => id),
	}));

/** The wallet pays by an order. A deadlock is an error here. */
const execute = (orderId: string) =>
	till.database.db.transaction((tx) =>
		applyConfirmation(tx, {
			...{ delivery: { id: randomUUID() } as Delivery, keys, now: new Date() },
			confirmation: {
				...{ receipt: newReceiptNumber(), shortcode: "600100", amountMinor: 250_000n },
				...{ payerMasked: "2547 ***** 126", occurredAt: new Date() },
			} as Parameters<typeof applyConfirmation>[1]["confirmation"],
			place: {
				...{ tenantId: till.tenants.uhai.id, orderId, isTrusted: true, custody: "platform" },
				...{ accountRef: null, intentId: undefined },
			} as Parameters<typeof applyConfirmation>[1]["place"],
		}),
	);

test("two changes of the billing method and an execution at the same time, again and again: one order collects, and each execution is counted once", async () => {
	till.subscriptions.billing.set(till.tenants.uhai.id, {
		...{ version: 1, plan: "GROWTH", plan_version: 1, price_minor: 250_000, currency: "KES" },
		...{ interval: "month", period_started_at: null, cancelled_at: null, period_ends_at: null },
		...{ next_period: { plan: "GROWTH", interval: "month", amount_minor: 250_000 } },
		...{ balance_minor: 0, open_payment_id: null },
	});
	let executions = 0;
	for (let turn = 0; turn < turns; turn += 1) {
		const { named } = await state();
		const phone = newPhone("is silent");
		const phones = [phone, turn % 3 === 0 ? newPhone("is silent") : phone];
		const [first, second] = await Promise.all([
			...phones.map(choose),
			...(named === null ? [] : [execute(named).then(() => (executions += 1))]),
		] as Array<Promise<{ status: number; body: Record<string, unknown> }>>);
		for (const { status, body } of [first, second].filter((one) => one !== undefined))
			if (status !== 200) expect(body["code"]).toBe("billing_method_changed");
		const { named: kept, open } = await state();
		expect(open).toEqual([kept]);
	}
	expect(await till.balances(till.tenants.uhai)).toMatchObject({ unapplied: executions * 250_000 });
	expect(executions).toBe(turns - 1);
}, 240_000);
