import { randomUUID } from "node:crypto";
import { treasuryIntentChanged } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import { inTenant } from "@lango/postgres";
import { beforeEach, describe, expect, test } from "vitest";
import { receiveBillPayment } from "../src/overage/bill-payment.ts";
import { until } from "./desk.ts";
import { settleAll } from "./settle-all.ts";
import { setUsageScene } from "./usage-scene.ts";

const scene = setUsageScene();
const overage = { max_orders_per_day: { unit_price_minor: 250, cap: 5 } };
const terms = { limits: { max_orders_per_day: 10 }, overage };
const periodEnd = new Date("2026-03-20T00:00:00Z");

type Bill = { id: string; status: string; amount_minor: number; failure: string | null };
const bill = async (): Promise<Bill> => {
	const token = scene.service.tokenOf(scene.tenantId, { roles: ["admin"] });
	const { body } = await scene.call({ path: "/subscription/bills", token });
	const [first] = (body as { items: Bill[] }).items;
	if (first === undefined) throw new Error("the bill does not exist");
	return first;
};

/** A bill of two orders above the limit, of which the payment is requested. */
beforeEach(async () => {
	scene.tenantId = await scene.tenantWith(terms);
	await inTenant(scene.service.db, scene.tenantId, (tx) =>
		tx.query("insert into sandbox_answers (tenant_id, answer) values ($1, 'silent')", [scene.tenantId]),
	);
	const at = scene.service.clock.now.toISOString();
	await scene.report([{ id: randomUUID(), metric: "order_count", value: 12, at }]);
	scene.service.clock.now = periodEnd;
	await settleAll(scene.service, {
		now: periodEnd,
		onError: (error) => {
			throw error;
		},
	});
});

async function pay(): Promise<void> {
	const { id: operationId, amount_minor } = await bill();
	await receiveBillPayment(scene.service.parts, {
		...{ tenantId: scene.tenantId, operationId, paymentId: randomUUID(), currency: "KES" },
		amountMinor: BigInt(amount_minor),
	});
}

let versions = 0;
type Returned = { operation_id: string; refunded_minor: number; source_service?: string; tenant_id?: string };

/** The treasury reports what was returned of the payment of a bill, in all. */
const returns = ({ source_service = "subscriptions", tenant_id = scene.tenantId, ...returned }: Returned) =>
	recordEvent(scene.service.db, treasuryIntentChanged, {
		...{ subject: returned.operation_id, tenantId: tenant_id, now: scene.service.clock.now },
		data: {
			...{ intent_id: returned.operation_id, tenant_id, order_id: null, source_service, ...returned },
			...{ status: "succeeded", received_minor: returned.refunded_minor, version: ++versions },
		},
	});

/** Waits until so much is recorded as returned. */
const recorded = (minor: number) =>
	until(async () => {
		const rows = await scene.rows(
			"select from returned_payments where tenant_id = $1 and returned_minor = $2",
			[scene.tenantId, minor],
		);
		return rows.length === 1;
	});

async function publishedAsUnpaid(): Promise<number> {
	const { db, published } = scene.service;
	await until(
		async () => (await db.query("select from outbox where published_at is null limit 1")).length === 0,
	);
	const ours = [...published.values()].filter(({ tenantid }) => tenantid === scene.tenantId);
	return ours.filter(({ type }) => type === "subscription.overage_unpaid").length;
}

describe("a bill for overage", () => {
	test("whose payment is returned as a whole is unpaid again, and published so once", async () => {
		await pay();
		const { id: operation_id, amount_minor } = await bill();
		await returns({ operation_id, refunded_minor: amount_minor - 1 });
		await recorded(amount_minor - 1);
		expect(await bill()).toMatchObject({ status: "paid" });
		for (let turn = 0; turn < 2; turn += 1) await returns({ operation_id, refunded_minor: amount_minor });
		await recorded(amount_minor);
		expect(await bill()).toMatchObject({ status: "unpaid", failure: "returned" });
		expect(await publishedAsUnpaid()).toBe(1);
	});

	test("whose payment is returned before it is received is unpaid again once it is received", async () => {
		const { id: operation_id, amount_minor } = await bill();
		await returns({ operation_id, refunded_minor: amount_minor });
		await recorded(amount_minor);
		expect(await bill()).toMatchObject({ status: "requested" });
		await pay();
		expect(await bill()).toMatchObject({ status: "unpaid", failure: "returned" });
		expect(await publishedAsUnpaid()).toBe(1);
	});

	test("stays paid when another service, or another tenant, has a payment of its id returned", async () => {
		await pay();
		const { id: operation_id, amount_minor: refunded_minor } = await bill();
		await returns({ operation_id, refunded_minor, source_service: "ordering" });
		await returns({ operation_id, refunded_minor, tenant_id: await scene.tenantWith(terms) });
		await returns({ operation_id, refunded_minor: 1 });
		await recorded(1);
		expect(await bill()).toMatchObject({ status: "paid" });
	});
});
